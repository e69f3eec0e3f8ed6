//! The limit of open files: 1,000 nodes in one process need more than the usual 1,024.

use crate::error::DriverError;

/// Two sockets, one connection of the kubelet, one registration call, one file being written.
const FILES_PER_PLUGIN: u64 = 5;
/// Runtime, log, API connections, disk work.
const FILES_OF_PROCESS: u64 = 200;

/// Raises the soft limit as far as is needed and allowed.
pub(crate) fn raise(plugins: usize) -> Result<(), DriverError> {
    let needed = FILES_OF_PROCESS + FILES_PER_PLUGIN * plugins as u64;
    // Where the system tells no limit there is none to raise.
    let Ok((soft, _)) = rlimit::Resource::NOFILE.get() else {
        return Ok(());
    };
    if soft >= needed {
        return Ok(());
    }
    let limit = rlimit::increase_nofile_limit(needed).unwrap_or(soft);
    if limit < needed {
        return Err(DriverError::OpenFiles {
            needed,
            plugins,
            limit,
        });
    }
    Ok(())
}
