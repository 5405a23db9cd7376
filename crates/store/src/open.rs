//! Opening a store: lock, SQLite's settings, migration, check; then one writer and a few readers.

use crate::checkpoint::Checkpointer;
use crate::lock::OwnerLock;
use crate::migrate::{MIGRATIONS, migrate, replay};
use crate::read::Readers;
use crate::writer::Writer;
use crate::{Kind, OpenError, Reader, StoreError, Touched, Tx};
use domain::ledger::Head;
use domain::{Position, RunId, Timestamp};
use parking_lot::RwLock;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A larger file is not read through at every start.
const CHECKED_BYTES_MAX: u64 = 64 << 20;

/// The first SQLite without the WAL-reset bug.
const SQLITE_MIN: i32 = 3_051_003;

/// Called on the writer's thread after each commit, once the callers were answered.
pub(crate) type OnCommit = Box<dyn Fn(Position, Vec<Touched>) + Send>;

/// Signs where a run stands.
pub type Sign = Arc<dyn Fn(RunId, Head, Timestamp) -> [u8; 64] + Send + Sync>;

#[expect(missing_debug_implementations, reason = "it holds a closure")]
pub struct StoreOptions {
    pub dir: PathBuf,
    pub on_commit: Box<dyn Fn(Position, Vec<Touched>) + Send>,
    /// `None`: no checkpoints are made.
    pub sign: Option<Sign>,
}

/// The open store. Dropping the last clone commits what waits and frees the lock.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    writer: Writer,
    readers: Readers,
    read_only: Arc<RwLock<Option<StoreError>>>,
    lock: parking_lot::Mutex<Option<OwnerLock>>,
    file: PathBuf,
}

impl Store {
    /// Opens or makes the store in `options.dir`. A file that fails its check opens read-only.
    pub fn open(options: StoreOptions) -> Result<Store, OpenError> {
        let StoreOptions { dir, on_commit, sign } = options;
        if rusqlite::version_number() < SQLITE_MIN {
            return Err(OpenError::OldSqlite { found: rusqlite::version().to_owned() });
        }
        make_private_dir(&dir)?;
        let lock = OwnerLock::take(&dir)?;
        let file = dir.join("tallyboard.db");
        let (conn, damage) = open_checked(&file, &dir.join("backups"))?;
        let read_only = Arc::new(RwLock::new(damage));
        let readers = Readers::new(file.clone());
        let thread = |source| OpenError::Io { what: "a thread of the store cannot start".into(), source };
        let connected = match conn {
            Some(conn) => {
                let second = connect(&file).map_err(|source| OpenError::Sql {
                    what: format!("{} cannot be opened twice", file.display()),
                    source,
                })?;
                Some((conn, Checkpointer::start(second).map_err(thread)?))
            }
            None => None,
        };
        let writer = Writer::start(connected, Arc::clone(&read_only), on_commit, sign).map_err(thread)?;
        Ok(Store { inner: Arc::new(Inner { writer, readers, read_only, lock: Some(lock).into(), file }) })
    }

    /// Hands a job to the writer. `done` is called after the commit, or with why there was none;
    /// a job that returns an error leaves nothing behind.
    pub fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
        done: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        self.inner.writer.submit(job, done, true);
    }

    /// As [`Store::write`], for a job that nobody waits for: a batch is not held up for its sake.
    pub fn write_later<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
        done: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        self.inner.writer.submit(job, done, false);
    }

    /// As [`Store::write`], waiting for the commit on this thread.
    pub fn write_wait<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (tx, rx) = std::sync::mpsc::sync_channel(1);
        self.write(job, move |result| {
            // The receiver waits below, so it cannot be gone.
            let _ = tx.send(result);
        });
        rx.recv().unwrap_or_else(|_| Err(StoreError::closed()))
    }

    /// Reads from one snapshot.
    pub fn read<T>(&self, job: impl FnOnce(&Reader<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.inner.readers.read(job)
    }

    /// Why nothing can be written, if so.
    #[must_use]
    pub fn read_only(&self) -> Option<String> {
        self.inner.read_only.read().as_ref().map(|error| error.message.clone())
    }

    #[must_use]
    pub fn file(&self) -> &Path {
        &self.inner.file
    }

    /// Commits what waits, empties the WAL and frees the lock. Later jobs are told the store is closed.
    pub fn close(&self) {
        self.inner.writer.stop();
        self.inner.readers.close();
        self.inner.lock.lock().take();
    }
}

fn make_private_dir(dir: &Path) -> Result<(), OpenError> {
    let io =
        |source| OpenError::Io { what: format!("the data folder {} cannot be used", dir.display()), source };
    std::fs::create_dir_all(dir).map_err(io)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o700)).map_err(io)?;
    }
    Ok(())
}

/// The writer's connection, or none with the reason when the file may only be read.
fn open_checked(file: &Path, backups: &Path) -> Result<(Option<Connection>, Option<StoreError>), OpenError> {
    let sql = |what: &str| {
        let what = format!("{} {what}", file.display());
        move |source| OpenError::Sql { what, source }
    };
    if let Err(damage) = check(file) {
        return match damage.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => {
                Err(sql("is not a database; restore it from a backup")(damage))
            }
            _ => Ok((None, Some(unsound(&damage.to_string())))),
        };
    }
    if let Some(problem) = quick_check(file) {
        return Ok((None, Some(unsound(&problem))));
    }
    let mut conn = connect(file).map_err(sql("cannot be opened"))?;
    if let Some(backup) = migrate(&mut conn, MIGRATIONS, backups, replay)? {
        tracing::info!(backup = %backup.display(), "the store was brought to a new format; the old one is kept");
    }
    Ok((Some(conn), None))
}

fn unsound(problem: &str) -> StoreError {
    let message = format!("the database fails its check and is open for reading only: {problem}");
    StoreError { kind: Kind::ReadOnly, message }
}

/// Can the schema be read at all? A missing file is fine: it is about to be made.
#[expect(clippy::disallowed_methods, reason = "this is where the store opens SQLite")]
fn check(file: &Path) -> Result<(), rusqlite::Error> {
    if !file.exists() {
        return Ok(());
    }
    let conn = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "this is where the store opens SQLite")]
fn quick_check(file: &Path) -> Option<String> {
    let size = std::fs::metadata(file).map(|meta| meta.len()).ok()?;
    if size == 0 || size > CHECKED_BYTES_MAX {
        return None;
    }
    let conn = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE).ok()?;
    match conn.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0)) {
        Ok(verdict) if verdict == "ok" => None,
        Ok(problem) => Some(problem),
        Err(error) => Some(error.to_string()),
    }
}

#[expect(clippy::disallowed_methods, reason = "this is where the store opens SQLite")]
fn connect(file: &Path) -> Result<Connection, rusqlite::Error> {
    let conn = Connection::open(file)?;
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    // FULL: a commit that returned survives the loss of power, not only of the process.
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "journal_size_limit", 64 << 20)?;
    // Commits never copy the log back themselves; see `checkpoint`.
    conn.pragma_update(None, "wal_autocheckpoint", 0)?;
    keep_plans(&conn)?;
    Ok(conn)
}

/// Keeps prepared statements and their plans. Without the stability guarantee SQLite, built with
/// STAT4 as it is here, plans a statement anew each time a value is bound: ten times the work.
pub(crate) fn keep_plans(conn: &Connection) -> Result<(), rusqlite::Error> {
    conn.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok(())
}
