//! Files that were read, with the account of their lines.

use crate::{Reader, RunHandle, StoreError, Tx};
use domain::{RunId, Timestamp};
use rusqlite::params;

impl Reader<'_> {
    /// The accounts of the files that told of a run, as JSON, in the order they were first read.
    pub fn file_accounts(&self, run: RunId) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT files.account FROM file_runs JOIN files ON files.key = file_runs.file
                   JOIN runs ON runs.key = file_runs.run WHERE runs.id = ?1 ORDER BY files.key";
        let mut rows = self.conn.prepare_cached(sql)?;
        let rows = rows.query_map([run.0.as_bytes()], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Tx<'_> {
    /// Remembers what became of a file's lines when it was last read, and the runs it tells of.
    pub fn file_put(
        &self,
        path: &str,
        account: &str,
        runs: &[RunHandle],
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let put = "INSERT INTO files (path, account, at) VALUES (?1, ?2, ?3)
                   ON CONFLICT (path) DO UPDATE SET account = excluded.account, at = excluded.at RETURNING key";
        let file: i64 = self
            .conn
            .prepare_cached(put)?
            .query_row(params![path, account, at.unix_ms()], |row| row.get(0))?;
        for run in runs {
            self.conn
                .prepare_cached("INSERT INTO file_runs (run, file) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
                .execute(params![run.key, file])?;
        }
        Ok(())
    }
}
