//! The CDI files of one driver: one for each prepared claim.

use std::fs;
use std::io;
use std::path::PathBuf;

use drakit_driver_model::cdi;
use drakit_driver_model::prepare::PreparedClaim;

use crate::decision::Identity;
use crate::durable::{self, Survives};

/// Container runtimes and people read these files.
const MODE: u32 = 0o644;

/// The folder that the container runtime reads.
#[derive(Debug, Clone)]
pub(crate) struct CdiFolder {
    folder: PathBuf,
    identity: Identity,
}

impl CdiFolder {
    pub(crate) fn new(folder: PathBuf, identity: Identity) -> Self {
        Self { folder, identity }
    }

    /// Makes the claim's file say what it must; writes only when it does not.
    /// The file is made from the checkpoint alone and compared whole, hence it
    /// need not survive a loss of power itself (the usual folder is in memory).
    pub(crate) fn ensure(&self, claim: &PreparedClaim) -> io::Result<()> {
        let name = self.file_name(&claim.uid);
        let Some(bytes) = self.identity.cdi_bytes(claim)? else {
            return durable::remove(&self.folder.join(name));
        };
        match fs::read(self.folder.join(&name)) {
            Ok(found) if found == bytes => Ok(()),
            Ok(_) => self.write(&name, &bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.write(&name, &bytes),
            Err(error) => Err(error),
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let written = durable::write(&self.folder, name, bytes, MODE, Survives::Kill);
        match written {
            // A reboot or a clean-up may take the folder itself.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(&self.folder)?;
                durable::write(&self.folder, name, bytes, MODE, Survives::Kill)
            }
            other => other,
        }
    }

    /// Removes the claim's file.
    pub(crate) fn remove(&self, uid: &str) -> io::Result<()> {
        durable::remove(&self.folder.join(self.file_name(uid)))
    }

    /// Brings the folder to what is prepared: missing and changed files are
    /// written, files of this driver for other claims and files that were
    /// never finished are removed. Files of others are not touched.
    pub(crate) fn restore(&self, prepared: &[PreparedClaim]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let driver = self.identity.driver.as_ref();
        durable::probe(&self.folder, driver)?;
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let orphan = cdi::parse_file_name(&self.identity.driver, name)
                .is_some_and(|uid| !prepared.iter().any(|claim| claim.uid == uid));
            if orphan || durable::is_unfinished(name, driver) {
                tracing::info!(path = %entry.path().display(), "removing a CDI file that no prepared claim owns");
                durable::remove(&entry.path())?;
            }
        }
        prepared.iter().try_for_each(|claim| self.ensure(claim))
    }

    fn file_name(&self, uid: &str) -> String {
        cdi::file_name(&self.identity.driver, uid)
    }
}
