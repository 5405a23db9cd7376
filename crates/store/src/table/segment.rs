//! Sealed parts of a run: the columns of its timeline, and what was known of it at their end.
//! Made from the events, and good for nothing without them.

use crate::{Reader, RunHandle, StoreError, Tx};
use domain::{RunId, Seq};
use rusqlite::{OptionalExtension, params};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentRow {
    pub first: Seq,
    pub last: Seq,
    pub columns: Vec<u8>,
    /// The run's facts after `last`, as `tools` wrote them.
    pub facts: Vec<u8>,
    /// The tasks that this part touched, as `tools` wrote them.
    pub touched: Vec<u8>,
}

impl Reader<'_> {
    /// Oldest first: those that end after `after`.
    pub fn segment_each(
        &self,
        run: RunId,
        after: Seq,
        mut each: impl FnMut(SegmentRow),
    ) -> Result<(), StoreError> {
        let sql = "SELECT s.first, s.last, s.columns, s.touched FROM segments s JOIN runs r ON r.key = s.run
                   WHERE r.id = ?1 AND s.last > ?2 ORDER BY s.first";
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query(params![run.0.as_bytes(), after.0])?;
        while let Some(row) = rows.next()? {
            each(SegmentRow {
                first: Seq(row.get(0)?),
                last: Seq(row.get(1)?),
                columns: row.get(2)?,
                facts: Vec::new(),
                touched: row.get(3)?,
            });
        }
        Ok(())
    }

    /// The facts after the last sealed part that ends at or before `at`, and where it ends.
    pub fn segment_facts(&self, run: RunId, at: Seq) -> Result<Option<(Seq, Vec<u8>)>, StoreError> {
        let sql = "SELECT s.last, s.facts FROM segments s JOIN runs r ON r.key = s.run
                   WHERE r.id = ?1 AND s.last <= ?2 ORDER BY s.first DESC LIMIT 1";
        let found = self
            .conn
            .prepare_cached(sql)?
            .query_row(params![run.0.as_bytes(), at.0], |row| Ok((Seq(row.get(0)?), row.get(1)?)))
            .optional()?;
        Ok(found)
    }

    /// Runs with at least `events` events that no sealed part holds.
    pub fn segment_wanted(&self, events: u64) -> Result<Vec<RunId>, StoreError> {
        let sql = "SELECT r.id FROM runs r
                   WHERE r.head_seq - coalesce((SELECT max(s.last) FROM segments s WHERE s.run = r.key), 0) >= ?1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map([events], |row| super::run_id(row, 0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Tx<'_> {
    /// Keeps a sealed part, unless it is there already.
    pub fn segment_put(&self, run: &RunHandle, segment: &SegmentRow) -> Result<(), StoreError> {
        self.conn
            .prepare_cached(
                "INSERT INTO segments (run, first, last, columns, facts, touched) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT DO NOTHING",
            )?
            .execute(params![
                run.key,
                segment.first.0,
                segment.last.0,
                segment.columns,
                segment.facts,
                segment.touched
            ])?;
        Ok(())
    }
}
