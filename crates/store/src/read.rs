//! Read-only connections, kept in a small pool. Each read sees one snapshot: whole commits only.

use crate::StoreError;
use parking_lot::Mutex;
use rusqlite::{Connection, OpenFlags};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// More idle connections than this are closed.
const IDLE_MAX: usize = 4;

#[derive(Debug)]
pub(crate) struct Readers {
    file: PathBuf,
    idle: Mutex<Vec<Connection>>,
    closed: AtomicBool,
}

/// The read handle: what may be asked stands with each table.
#[derive(Debug)]
pub struct Reader<'a> {
    pub(crate) conn: &'a Connection,
}

impl Readers {
    pub(crate) fn new(file: PathBuf) -> Self {
        Readers { file, idle: Mutex::default(), closed: AtomicBool::new(false) }
    }

    pub(crate) fn read<T>(
        &self,
        job: impl FnOnce(&Reader<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(StoreError::closed());
        }
        let idle = self.idle.lock().pop();
        let conn = idle.map_or_else(|| self.connect(), Ok)?;
        conn.prepare_cached("BEGIN")?.execute([])?;
        let result = job(&Reader { conn: &conn });
        conn.prepare_cached("COMMIT")?.execute([])?;
        let mut idle = self.idle.lock();
        if idle.len() < IDLE_MAX && !self.closed.load(Ordering::Acquire) {
            idle.push(conn);
        }
        result
    }

    #[expect(clippy::disallowed_methods, reason = "this is where the store opens SQLite")]
    fn connect(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(&self.file, flags)?;
        conn.busy_timeout(std::time::Duration::from_secs(5))?;
        conn.pragma_update(None, "query_only", true)?;
        crate::open::keep_plans(&conn)?;
        Ok(conn)
    }

    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.idle.lock().clear();
    }
}
