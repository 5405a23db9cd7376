//! Signed marks: the run stood at this hash.

use super::{run_id, time};
use crate::{Reader, RunHandle, StoreError, Tx};
use domain::ledger::Hash;
use domain::{RunId, Seq, Timestamp};
use rusqlite::{Row, params};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointRow {
    /// The order in which they were made.
    pub key: i64,
    pub run: RunId,
    pub seq: Seq,
    pub hash: Hash,
    pub at: Timestamp,
    pub sig: [u8; 64],
}

const COLUMNS: &str =
    "SELECT c.key, r.id, c.seq, c.hash, c.at, c.sig FROM checkpoints c JOIN runs r ON r.key = c.run";

fn checkpoint(row: &Row<'_>) -> rusqlite::Result<CheckpointRow> {
    Ok(CheckpointRow {
        key: row.get(0)?,
        run: run_id(row, 1)?,
        seq: Seq(row.get(2)?),
        hash: Hash(row.get(3)?),
        at: time(row, 4)?,
        sig: row.get(5)?,
    })
}

impl Reader<'_> {
    /// Of one run, in the order of its events.
    pub fn checkpoint_list(&self, run: RunId) -> Result<Vec<CheckpointRow>, StoreError> {
        let sql = format!("{COLUMNS} WHERE r.id = ?1 ORDER BY c.seq");
        let mut statement = self.conn.prepare_cached(&sql)?;
        let rows = statement.query_map([run.0.as_bytes()], checkpoint)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Made after `key`, in order.
    pub fn checkpoint_after(&self, key: i64, limit: u32) -> Result<Vec<CheckpointRow>, StoreError> {
        let sql = format!("{COLUMNS} WHERE c.key > ?1 ORDER BY c.key LIMIT ?2");
        let mut statement = self.conn.prepare_cached(&sql)?;
        let rows = statement.query_map(params![key, limit], checkpoint)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Runs that stood unsigned at `before`: their newest event is not covered, and the last signature,
    /// or the run's beginning, is older than that.
    pub fn checkpoint_wanted(&self, before: Timestamp) -> Result<Vec<RunId>, StoreError> {
        let sql = "SELECT id FROM (
                       SELECT r.id, r.head_seq, r.started_at,
                              (SELECT max(c.seq) FROM checkpoints c WHERE c.run = r.key) AS signed,
                              (SELECT c.at FROM checkpoints c WHERE c.run = r.key ORDER BY c.seq DESC LIMIT 1) AS last
                       FROM runs r)
                   WHERE head_seq > coalesce(signed, 0) AND coalesce(last, started_at) <= ?1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map([before.unix_ms()], |row| run_id(row, 0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Tx<'_> {
    /// Keeps a checkpoint, unless there is one at this seq.
    pub fn checkpoint_put(&self, run: &RunHandle, at: Timestamp, sig: [u8; 64]) -> Result<(), StoreError> {
        self.conn
            .prepare_cached(
                "INSERT INTO checkpoints (run, seq, hash, at, sig) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
            )?
            .execute(params![run.key, run.head.seq.0, run.head.hash.0.as_slice(), at.unix_ms(), sig.as_slice()])?;
        Ok(())
    }
}
