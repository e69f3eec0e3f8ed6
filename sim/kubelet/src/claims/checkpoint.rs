//! `dra_manager_state`: what survives the kubelet (`cm/dra/state/checkpoint.go`).

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::info::ClaimInfo;

const KIND: &str = "DRACheckpoint";
const API_VERSION: &str = "checkpoint.dra.kubelet.k8s.io/v1";

/// Why the checkpoint could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file could not be read.
    #[error("read checkpoint {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not what a kubelet wrote.
    #[error("checkpoint {} is corrupted: {reason}\n(drain the node and remove the file)", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file could not be written.
    #[error("could not save checkpoint {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

#[derive(Serialize, Deserialize)]
struct Envelope {
    #[serde(rename = "Data")]
    data: String,
    #[serde(rename = "Checksum")]
    checksum: u32,
}

#[derive(Serialize, Deserialize)]
struct Content {
    kind: String,
    #[serde(rename = "apiVersion")]
    api_version: String,
    #[serde(rename = "ClaimInfoStateList")]
    claims: Option<Vec<ClaimInfo>>,
}

/// The file's text.
pub(super) fn encode(claims: Vec<ClaimInfo>) -> Result<String, serde_json::Error> {
    let data = serde_json::to_string(&Content {
        kind: KIND.into(),
        api_version: API_VERSION.into(),
        claims: Some(claims),
    })?;
    let checksum = crc32fast::hash(data.as_bytes());
    serde_json::to_string(&Envelope { data, checksum })
}

/// The claims in the file at `path`; none when there is no file.
pub(super) fn load(path: &Path) -> Result<Vec<ClaimInfo>, CheckpointError> {
    let corrupt = |reason: String| CheckpointError::Corrupt {
        path: path.to_owned(),
        reason,
    };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => {
            return Err(CheckpointError::Read {
                path: path.to_owned(),
                source,
            });
        }
    };
    let envelope: Envelope = serde_json::from_str(&text).map_err(|e| corrupt(e.to_string()))?;
    if crc32fast::hash(envelope.data.as_bytes()) != envelope.checksum {
        return Err(corrupt("checksum differs".into()));
    }
    let content: Content =
        serde_json::from_str(&envelope.data).map_err(|e| corrupt(e.to_string()))?;
    if content.kind != KIND || content.api_version != API_VERSION {
        return Err(corrupt(format!(
            "it is a {} {}",
            content.api_version, content.kind
        )));
    }
    Ok(content.claims.unwrap_or_default())
}

/// Writes the file whole or not at all. It is not synced: it outlives the process, but after a crash
/// of the machine the objects of the simulation are gone too, and two syncs would be most of what
/// starting a pod costs.
pub(super) fn write(path: &Path, text: &str) -> Result<(), CheckpointError> {
    let temporary = path.with_extension("tmp");
    let result = std::fs::write(&temporary, text).and_then(|()| std::fs::rename(&temporary, path));
    result.map_err(|source| CheckpointError::Write {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::info::{Device, DriverState};

    fn info() -> ClaimInfo {
        let device = Device {
            pool: "node-0".into(),
            name: "gpu-0".into(),
            share_id: None,
            requests: vec!["gpu".into()],
            cdi_ids: vec!["gpu.example.com/gpu=uid-1-gpu-0".into()],
        };
        let state = DriverState {
            devices: vec![device],
            skips: Vec::new(),
        };
        ClaimInfo {
            uid: "uid-1".into(),
            name: "claim".into(),
            namespace: "default".into(),
            pods: ["pod-1".to_owned()].into(),
            drivers: [("gpu.example.com".to_owned(), state)].into(),
            prepared: true,
            unpreparing: false,
        }
    }

    #[test]
    fn the_file_reads_as_a_kubelets() {
        assert_eq!(
            encode(vec![info()]).unwrap(),
            r#"{"Data":"{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"ClaimInfoStateList\":[{\"ClaimUID\":\"uid-1\",\"ClaimName\":\"claim\",\"Namespace\":\"default\",\"PodUIDs\":{\"pod-1\":{}},\"DriverState\":{\"gpu.example.com\":{\"Devices\":[{\"PoolName\":\"node-0\",\"DeviceName\":\"gpu-0\",\"ShareID\":null,\"RequestNames\":[\"gpu\"],\"CDIDeviceIDs\":[\"gpu.example.com/gpu=uid-1-gpu-0\"]}]}}}]}","Checksum":"#
                .to_owned()
                + &crc32fast::hash(
                    br#"{"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v1","ClaimInfoStateList":[{"ClaimUID":"uid-1","ClaimName":"claim","Namespace":"default","PodUIDs":{"pod-1":{}},"DriverState":{"gpu.example.com":{"Devices":[{"PoolName":"node-0","DeviceName":"gpu-0","ShareID":null,"RequestNames":["gpu"],"CDIDeviceIDs":["gpu.example.com/gpu=uid-1-gpu-0"]}]}}}]}"#
                )
                .to_string()
                + "}"
        );
    }

    #[test]
    fn a_claim_comes_back_as_not_yet_prepared() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("dra_manager_state");
        write(&file, &encode(vec![info()]).unwrap()).unwrap();
        let expected = ClaimInfo {
            prepared: false,
            ..info()
        };
        assert_eq!(load(&file).unwrap(), [expected]);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_damaged_file_is_an_error_and_a_missing_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("dra_manager_state");
        assert!(load(&file).unwrap().is_empty());
        let text = encode(vec![info()]).unwrap().replace("claim", "clain");
        write(&file, &text).unwrap();
        assert!(matches!(load(&file), Err(CheckpointError::Corrupt { .. })));
    }
}
