//! Did the last owner close the store? A mark in the data folder says so; without it, runs that were
//! open then are closed as interrupted. They go on when their key calls again.

use crate::scribe;
use domain::{EndReason, Source, Timestamp};
use std::path::{Path, PathBuf};
use store::{Store, StoreError};

fn mark(data: &Path) -> PathBuf {
    data.join("closed")
}

/// Called once the lock is ours, before any call.
pub(crate) fn opened(store: &Store, data: &Path, now: Timestamp) -> Result<(), StoreError> {
    if std::fs::remove_file(mark(data)).is_ok() || store.read_only().is_some() {
        return Ok(());
    }
    // A bridge lives on when its owner dies: whether it did is found out by who holds the bridges.
    for source in Source::ALL.iter().copied().filter(|source| *source != Source::Bridge) {
        let note = "the program ended without closing this run";
        scribe::close(store, source, Timestamp::from_unix_ms(i64::MAX), now, EndReason::Interrupted, note)?;
    }
    Ok(())
}

/// Called when nothing more will be written.
pub(crate) fn closing(store: &Store, data: &Path) {
    if store.read_only().is_none()
        && let Err(error) = std::fs::write(mark(data), "")
    {
        tracing::warn!(%error, "the store is closed, but that could not be marked");
    }
}
