//! One owner of a store at a time: an OS lock on a file beside it, freed by the system however the
//! owner ends.

use crate::OpenError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

/// Held as long as this lives.
#[derive(Debug)]
pub(crate) struct OwnerLock {
    _file: File,
}

impl OwnerLock {
    pub(crate) fn take(dir: &Path) -> Result<OwnerLock, OpenError> {
        let path = dir.join("owner.lock");
        let io = |source| OpenError::Io { what: format!("{} cannot be opened", path.display()), source };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // Where the lock also forbids reading, the pid stays unknown.
                let pid = file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
                return Err(OpenError::Held { pid, dir: dir.display().to_string() });
            }
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        file.set_len(0).map_err(io)?;
        file.rewind().map_err(io)?;
        write!(file, "{}", std::process::id()).map_err(io)?;
        file.sync_all().map_err(io)?;
        Ok(OwnerLock { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_owner_is_told_who_holds_the_store() {
        let dir = tempfile::tempdir().unwrap();
        let first = OwnerLock::take(dir.path()).unwrap();
        match OwnerLock::take(dir.path()) {
            Err(OpenError::Held { pid, .. }) => assert_eq!(pid, Some(std::process::id())),
            other => panic!("{other:?}"),
        }
        drop(first);
        OwnerLock::take(dir.path()).unwrap();
    }
}
