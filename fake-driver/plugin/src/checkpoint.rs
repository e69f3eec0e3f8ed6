//! What is prepared, on disk: one small file for each claim.
//!
//! A file for each claim, not one for all: a Prepare writes what it changed
//! and nothing else, however many claims a node holds, and damage stays with
//! one claim. The checksum covers the stored bytes of `data`, so that a field
//! added later does not make old files look damaged.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::durable::{self, Survives};
use crate::error::CheckpointError;

/// The version that is written, and the latest that is read.
const VERSION: u32 = 1;
const ENDING: &str = ".json";

#[derive(Serialize, Deserialize)]
struct Envelope {
    version: u32,
    /// CRC-32 (IEEE) of the bytes of `data`.
    crc32: u32,
    /// The record as JSON text.
    data: String,
}

/// The folder of one driver's records.
#[derive(Debug, Clone)]
pub(crate) struct Checkpoint {
    folder: PathBuf,
}

impl Checkpoint {
    /// The records in this folder, which must exist.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Stores the record of a claim; when this returns, it survives.
    pub(crate) fn store(&self, uid: &str, record: &impl Serialize) -> io::Result<()> {
        let data = serde_json::to_string(record)?;
        let envelope = Envelope {
            version: VERSION,
            crc32: crc32fast::hash(data.as_bytes()),
            data,
        };
        let bytes = serde_json::to_vec(&envelope)?;
        durable::write(
            &self.folder,
            &file_name(uid),
            &bytes,
            0o600,
            Survives::PowerLoss,
        )
    }

    /// Forgets a claim.
    pub(crate) fn remove(&self, uid: &str) -> io::Result<()> {
        durable::remove(&self.folder.join(file_name(uid)))
    }

    /// Every record with the UID that its file name gives. Removes what was
    /// never finished; answers an error for the first file that is damaged.
    pub(crate) fn load<T: DeserializeOwned>(&self) -> Result<Vec<(String, T)>, CheckpointError> {
        let read = |path: &Path, source| CheckpointError::Read {
            path: path.to_owned(),
            source,
        };
        let mut records = Vec::new();
        let entries = fs::read_dir(&self.folder).map_err(|error| read(&self.folder, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| read(&self.folder, error))?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if durable::is_unfinished(name, "") {
                durable::remove(&entry.path()).map_err(|error| read(&entry.path(), error))?;
            } else if let Some(uid) = name.strip_suffix(ENDING) {
                let bytes = fs::read(entry.path()).map_err(|error| read(&entry.path(), error))?;
                records.push((uid.to_owned(), decode(&entry.path(), &bytes)?));
            }
        }
        records.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(records)
    }
}

fn file_name(uid: &str) -> String {
    format!("{uid}{ENDING}")
}

fn decode<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T, CheckpointError> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let damaged = |reason: String| CheckpointError::Damaged {
        path: path.to_owned(),
        reason,
    };
    let Version { version } =
        serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
    if version > VERSION {
        return Err(CheckpointError::Version {
            path: path.to_owned(),
            version,
            known: VERSION,
        });
    }
    let envelope: Envelope =
        serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
    if crc32fast::hash(envelope.data.as_bytes()) != envelope.crc32 {
        return Err(damaged("the checksum does not match".into()));
    }
    serde_json::from_str(&envelope.data).map_err(|error| damaged(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored() -> (tempfile::TempDir, Checkpoint, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let checkpoint = Checkpoint::new(folder.path().to_owned());
        checkpoint.store("uid-1", &vec!["gpu-0", "gpu-1"]).unwrap();
        let path = folder.path().join("uid-1.json");
        (folder, checkpoint, path)
    }

    #[test]
    fn what_was_stored_is_loaded() {
        let (_folder, checkpoint, _) = stored();
        let records: Vec<(String, Vec<String>)> = checkpoint.load().unwrap();
        assert_eq!(
            records,
            [("uid-1".into(), vec!["gpu-0".into(), "gpu-1".into()])]
        );
        checkpoint.remove("uid-1").unwrap();
        checkpoint.remove("uid-1").unwrap();
        assert!(checkpoint.load::<Vec<String>>().unwrap().is_empty());
    }

    #[test]
    fn a_file_that_was_cut_at_any_byte_is_never_read_as_good() {
        let (_folder, checkpoint, path) = stored();
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let error = checkpoint.load::<Vec<String>>().unwrap_err();
            assert!(
                matches!(error, CheckpointError::Damaged { .. }),
                "{length}: {error}"
            );
            assert_eq!(
                fs::read(&path).unwrap().len(),
                length,
                "the file is left for a person"
            );
        }
    }

    #[test]
    fn a_changed_byte_of_the_data_is_found() {
        let (_folder, checkpoint, path) = stored();
        let text = fs::read_to_string(&path).unwrap().replace("gpu-1", "gpu-7");
        fs::write(&path, text).unwrap();
        let error = checkpoint.load::<Vec<String>>().unwrap_err();
        assert!(error.to_string().contains("checksum"), "{error}");
    }

    #[test]
    fn a_file_of_a_later_version_is_refused_and_kept() {
        let (_folder, checkpoint, path) = stored();
        fs::write(&path, r#"{"version":2,"else":true}"#).unwrap();
        let error = checkpoint.load::<Vec<String>>().unwrap_err();
        assert!(
            matches!(error, CheckpointError::Version { version: 2, .. }),
            "{error}"
        );
        assert!(path.exists());
    }

    #[test]
    fn unknown_fields_of_the_envelope_are_ignored() {
        let (_folder, checkpoint, path) = stored();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen('{', r#"{"later":1,"#, 1)).unwrap();
        assert_eq!(checkpoint.load::<Vec<String>>().unwrap().len(), 1);
    }

    #[test]
    fn a_file_that_was_never_finished_is_cleared_away() {
        let (folder, checkpoint, _) = stored();
        let leftover = folder.path().join(".uid-2.json.1-1.drakit-tmp");
        fs::write(&leftover, "{").unwrap();
        assert_eq!(checkpoint.load::<Vec<String>>().unwrap().len(), 1);
        assert!(!leftover.exists());
    }
}
