//! Runs that were read in from files: what stands in the ledger is kept byte for byte.

use crate::views::{self, Row};
use crate::{Placed, Reader, RunHandle, StoreError, Tx};
use domain::ledger::{Hash, Head, Read};
use domain::{ProjectId, RunId, Timestamp};
use rusqlite::{OptionalExtension, params};
use uuid::Uuid;

/// Where a run was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRow {
    /// What the run is called in lists.
    pub name: String,
    /// The file's name, without its folder.
    pub file: String,
    /// The file had a hash chain of its own.
    pub chained: bool,
}

impl Reader<'_> {
    pub fn import_get(&self, run: RunId) -> Result<Option<ImportRow>, StoreError> {
        let sql = "SELECT name, file, chained FROM imports WHERE id = ?1";
        let row = self.conn.prepare_cached(sql)?.query_row([run.0.as_bytes()], |row| {
            Ok(ImportRow { name: row.get(0)?, file: row.get(1)?, chained: row.get(2)? })
        });
        Ok(row.optional()?)
    }
}

impl Tx<'_> {
    /// Makes room for a run from a file. Its events follow by [`Tx::import_event`].
    pub fn import_start(
        &mut self,
        id: RunId,
        at: Timestamp,
        import: &ImportRow,
    ) -> Result<RunHandle, StoreError> {
        let project_key = views::import_project(self.conn)?;
        let key = views::next_key(self.conn, "runs")?;
        let head = Head::start(id);
        let row = Row { position: self.last(), run_key: key, run: id, project_key, at, head, imported: true };
        views::imported(self.conn, &row, import)?;
        self.conn
            .prepare_cached(
                "INSERT INTO imports (run, id, name, file, chained, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![key, id.0.as_bytes(), import.name, import.file, import.chained, at.unix_ms()])?;
        let project =
            self.conn.query_row("SELECT id FROM projects WHERE key = ?1", [project_key], |row| {
                Ok(ProjectId(Uuid::from_bytes(row.get(0)?)))
            })?;
        Ok(RunHandle { id, project, key, project_key, head, imported: true })
    }

    /// Adds an event as it stands in the file: the same bytes, the same hash.
    pub fn import_event(
        &mut self,
        run: &mut RunHandle,
        event: Read,
        body: &str,
        hash: Hash,
    ) -> Result<Placed, StoreError> {
        let head = Head { seq: event.seq, hash };
        let payload = views::payload_of(&event.kind, event.payload, true)?;
        self.insert(run, event.at, &event.kind, body, head, payload.as_ref())
    }
}
