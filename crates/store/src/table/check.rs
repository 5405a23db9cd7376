//! What the last check of a run's ledger found.

use crate::{Reader, RunHandle, StoreError, Tx};
use domain::{RunId, Seq, Timestamp};
use rusqlite::{OptionalExtension, params};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckRow {
    /// Checked up to here.
    pub seq: Seq,
    pub ok: bool,
    pub first_bad: Option<Seq>,
    pub at: Timestamp,
}

impl Reader<'_> {
    pub fn check_get(&self, run: RunId) -> Result<Option<CheckRow>, StoreError> {
        let sql = "SELECT c.seq, c.ok, c.first_bad, c.at FROM checks c JOIN runs r ON r.key = c.run WHERE r.id = ?1";
        let row = self.conn.prepare_cached(sql)?.query_row([run.0.as_bytes()], |row| {
            Ok(CheckRow {
                seq: Seq(row.get(0)?),
                ok: row.get(1)?,
                first_bad: row.get::<_, Option<u64>>(2)?.map(Seq),
                at: super::time(row, 3)?,
            })
        });
        Ok(row.optional()?)
    }
}

impl Tx<'_> {
    pub fn check_put(&self, run: &RunHandle, check: CheckRow) -> Result<(), StoreError> {
        self.conn
            .prepare_cached(
                "INSERT INTO checks (run, seq, ok, first_bad, at) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (run) DO UPDATE SET seq = ?2, ok = ?3, first_bad = ?4, at = ?5",
            )?
            .execute(params![
                run.key,
                check.seq.0,
                check.ok,
                check.first_bad.map(|seq| seq.0),
                check.at.unix_ms()
            ])?;
        Ok(())
    }
}
