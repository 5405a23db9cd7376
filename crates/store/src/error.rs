//! How the store can fail, told apart by what a caller can do about it.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The disk is full. Free space; the next write works again.
    Full,
    /// The store is open for reading only.
    ReadOnly,
    /// The file or the disk failed.
    Io,
    /// The database is damaged.
    Corrupt,
    /// The store was closed.
    Closed,
    /// A fault of ours: a broken rule, a panic in a job.
    Internal,
}

/// Cloned to every caller whose job was in a batch that could not be committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreError {
    pub kind: Kind,
    pub message: String,
}

impl StoreError {
    pub fn internal(message: impl fmt::Display) -> Self {
        StoreError { kind: Kind::Internal, message: message.to_string() }
    }

    pub(crate) fn closed() -> Self {
        StoreError { kind: Kind::Closed, message: "the store is closed".into() }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StoreError {}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as C;
        let kind = match error.sqlite_error_code() {
            Some(C::DiskFull) => Kind::Full,
            Some(C::ReadOnly | C::PermissionDenied) => Kind::ReadOnly,
            Some(C::SystemIoFailure | C::CannotOpen | C::DatabaseBusy | C::DatabaseLocked) => Kind::Io,
            Some(C::DatabaseCorrupt | C::NotADatabase) => Kind::Corrupt,
            _ => Kind::Internal,
        };
        StoreError { kind, message: error.to_string() }
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        StoreError::internal(format!("a stored event is not readable: {error}"))
    }
}

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("another process{} owns the store in {dir}", pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default())]
    Held { pid: Option<u32>, dir: String },
    #[error(
        "the store was written by a newer version of Tallyboard (format {found}; this program knows up to {known})"
    )]
    Newer { found: u32, known: u32 },
    #[error("{file} is not a Tallyboard store")]
    Foreign { file: String },
    #[error("{what}: {source}")]
    Io { what: String, source: std::io::Error },
    #[error("{what}: {source}")]
    Sql { what: String, source: rusqlite::Error },
    #[error("the store cannot be brought up to date: {error}")]
    Replay { error: StoreError },
    #[error("the store cannot be brought up to date: a row of {table} refers to one that is not there")]
    Dangling { table: String },
    #[error("SQLite {found} is too old: versions before 3.51.3 can corrupt a WAL database")]
    OldSqlite { found: String },
}
