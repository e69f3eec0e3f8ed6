//! The CDI files of one node, read as a container runtime reads them (CDI `pkg/cdi/cache.go`).

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::edits::{InjectError, Injected, Injection};
use super::spec::CdiSpec;
use super::validate::validate;

/// Tells one content of a file from another.
type Stamp = (u64, u64, i64, i64);

#[derive(Debug)]
struct File {
    stamp: Stamp,
    spec: Result<Arc<CdiSpec>, String>,
}

/// A folder of CDI files. Unchanged files are read once.
#[derive(Debug)]
pub struct CdiFolder {
    folder: PathBuf,
    files: BTreeMap<PathBuf, File>,
}

impl CdiFolder {
    /// The files in `folder`, which need not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            files: BTreeMap::new(),
        }
    }

    /// What a container that is given the devices `ids` gets, in the order of the ids.
    ///
    /// # Errors
    /// [`InjectError`]: an id of no device, or a device node that cannot be completed.
    pub fn resolve(&mut self, ids: &[String]) -> Result<Injected, InjectError> {
        if ids.is_empty() {
            return Ok(Injected::default());
        }
        self.refresh();
        let devices = self.devices();
        let mut injection = Injection::default();
        let mut unresolved = Vec::new();
        for id in ids {
            match devices.get(id.as_str()) {
                Some((spec, device)) => injection.add(spec, &spec.devices[*device]),
                None => unresolved.push(id.clone()),
            }
        }
        if !unresolved.is_empty() {
            return Err(InjectError::Unresolvable(unresolved));
        }
        injection.apply()
    }

    /// Files that are not used, with the reason.
    pub fn problems(&mut self) -> BTreeMap<PathBuf, String> {
        self.refresh();
        self.files
            .iter()
            .filter_map(|(path, file)| Some((path.clone(), file.spec.as_ref().err()?.clone())))
            .collect()
    }

    /// Reads what is new or changed. Sub-folders and other file types are skipped.
    fn refresh(&mut self) {
        let mut found = BTreeSet::new();
        for entry in std::fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten()
        {
            let path = entry.path();
            let extension = path.extension().and_then(|e| e.to_str());
            if !matches!(extension, Some("json" | "yaml")) {
                continue;
            }
            let Ok(metadata) = std::fs::metadata(&path) else {
                continue;
            };
            if metadata.is_dir() {
                continue;
            }
            let stamp = (
                metadata.ino(),
                metadata.len(),
                metadata.mtime(),
                metadata.mtime_nsec(),
            );
            if self
                .files
                .get(&path)
                .is_none_or(|known| known.stamp != stamp)
            {
                let spec = read(&path);
                if let Err(error) = &spec {
                    tracing::warn!(%error, "CDI file is not used");
                }
                self.files.insert(path.clone(), File { stamp, spec });
            }
            found.insert(path);
        }
        self.files.retain(|path, _| found.contains(path));
    }

    /// Devices by qualified name. What two files define, nobody gets.
    fn devices(&self) -> BTreeMap<String, (&Arc<CdiSpec>, usize)> {
        let mut devices = BTreeMap::new();
        let mut conflicts = BTreeSet::new();
        for file in self.files.values() {
            let Ok(spec) = &file.spec else { continue };
            for (at, device) in spec.devices.iter().enumerate() {
                let name = format!("{}={}", spec.kind, device.name);
                if devices.insert(name.clone(), (spec, at)).is_some() {
                    conflicts.insert(name);
                }
            }
        }
        for conflict in conflicts {
            tracing::warn!(
                device = conflict,
                "CDI device is defined twice and not used"
            );
            devices.remove(&conflict);
        }
        devices
    }
}

fn read(path: &Path) -> Result<Arc<CdiSpec>, String> {
    /// A file larger than this is no CDI file.
    const MAX_BYTES: u64 = 16 << 20;
    let shown = path.display();
    let size = std::fs::metadata(path).map_or(0, |m| m.len());
    if size > MAX_BYTES {
        return Err(format!("failed to read CDI Spec \"{shown}\": {size} bytes"));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|e| format!("failed to read CDI Spec \"{shown}\": {e}"))?;
    let spec =
        CdiSpec::parse(&text).map_err(|e| format!("failed to parse CDI Spec \"{shown}\": {e}"))?;
    validate(&spec).map_err(|e| format!("invalid CDI Spec: {e}"))?;
    Ok(Arc::new(spec))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(kind: &str, device: &str, env: &str) -> String {
        format!(
            r#"{{"cdiVersion":"0.5.0","kind":"{kind}","containerEdits":{{"env":["COMMON=1"]}},"devices":[{{"name":"{device}","containerEdits":{{"env":["{env}"],"deviceNodes":[{{"path":"/dev/x","type":"c","major":1,"minor":3,"permissions":"rw"}}],"mounts":[{{"hostPath":"/h","containerPath":"/c","options":["ro","bind"]}}]}}}}]}}"#
        )
    }

    fn folder(files: &[(&str, String)]) -> (tempfile::TempDir, CdiFolder) {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        let cdi = CdiFolder::new(dir.path());
        (dir, cdi)
    }

    #[test]
    fn edits_of_the_device_and_of_its_file_are_injected_once() {
        let (_dir, mut cdi) = folder(&[("a.json", file("example.com/gpu", "a", "A=1"))]);
        let id = "example.com/gpu=a".to_owned();
        let injected = cdi.resolve(&[id.clone(), id]).unwrap();
        assert_eq!(injected.env["COMMON"], "1");
        assert_eq!(
            injected.lines(),
            [
                "device /dev/x c 1:3 rw",
                "env A=1",
                "env COMMON=1",
                "mount /h -> /c bind,ro",
            ]
        );
    }

    #[test]
    fn ids_of_no_device_are_reported_together() {
        let (_dir, mut cdi) = folder(&[("a.json", file("example.com/gpu", "a", "A=1"))]);
        let ids = ["example.com/gpu=b", "example.com/gpu=a", "x"].map(str::to_owned);
        assert_eq!(
            cdi.resolve(&ids).unwrap_err().to_string(),
            "unresolvable CDI devices example.com/gpu=b, x"
        );
    }

    #[test]
    fn a_device_in_two_files_is_in_none() {
        let (dir, mut cdi) = folder(&[
            ("a.json", file("example.com/gpu", "a", "A=1")),
            ("b.yaml", file("example.com/gpu", "a", "A=2")),
        ]);
        let id = ["example.com/gpu=a".to_owned()];
        assert!(cdi.resolve(&id).is_err());
        std::fs::remove_file(dir.path().join("b.yaml")).unwrap();
        assert_eq!(cdi.resolve(&id).unwrap().env["A"], "1");
    }

    #[test]
    fn broken_and_foreign_files_are_skipped_and_others_work() {
        let (dir, mut cdi) = folder(&[
            ("a.json", file("example.com/gpu", "a", "A=1")),
            ("half.json", r#"{"cdiVersion":"0.5"#.into()),
            ("notes.txt", "hello".into()),
        ]);
        assert!(cdi.resolve(&["example.com/gpu=a".into()]).is_ok());
        let problems = cdi.problems();
        assert_eq!(
            problems.keys().collect::<Vec<_>>(),
            [&dir.path().join("half.json")]
        );
    }

    #[test]
    fn a_node_without_numbers_is_completed_from_the_host() {
        let nodes = |nodes: &str| {
            format!(
                r#"{{"cdiVersion":"0.5.0","kind":"a.b/c","devices":[{{"name":"d","containerEdits":{{"deviceNodes":[{nodes}]}}}}]}}"#
            )
        };
        let (dir, mut cdi) = folder(&[(
            "a.json",
            nodes(r#"{"path":"/dev/y","hostPath":"/dev/null"}"#),
        )]);
        let id = ["a.b/c=d".to_owned()];
        assert_eq!(
            cdi.resolve(&id).unwrap().lines(),
            ["device /dev/y c 1:3 rwm"]
        );
        std::fs::write(
            dir.path().join("a.json"),
            nodes(r#"{"path":"/dev/no-such-device"}"#),
        )
        .unwrap();
        assert_eq!(
            cdi.resolve(&id).unwrap_err().to_string(),
            "failed to stat CDI host device \"/dev/no-such-device\": no such file or directory"
        );
    }
}
