//! The ledger: what happened, in the order of the store.

use super::project::ProjectRow;
use super::task::ActorRow;
use super::{known, name, run_id};
use crate::views::payload_of;
use crate::{Reader, StoreError};
use domain::event::Payload;
use domain::ledger::{Hash, Read};
use domain::{ActorKind, Position, RunId, Seq, Source, TaskNo};
use rusqlite::{OptionalExtension, Row, params};

/// The kinds in the index of a board's events, in the words of the index.
pub(super) const OF_BOARD: &str = "'call_answered', 'call_rejected', 'note', 'rejection_marked', 'run_ended', \
    'run_resumed', 'run_started', 'task_created', 'task_deleted', 'task_restored', 'task_updated', 'todo_written'";

/// The kinds that a strip shows.
const OF_STRIP: &str = "'call_rejected', 'run_ended', 'run_resumed', 'run_started', 'task_created', 'task_deleted', \
    'task_restored', 'task_updated'";

/// An event with who did it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRow {
    pub position: Position,
    pub event: Read,
    /// `None`: a kind that this program does not know.
    pub payload: Option<Payload>,
    pub actor: ActorRow,
    pub source: Source,
}

/// An event as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEvent {
    pub position: Position,
    pub run: RunId,
    pub body: String,
    pub hash: Hash,
}

const EVENT: &str =
    "SELECT e.position, e.body, r.actor, r.name, r.source FROM events e JOIN runs r ON r.key = e.run";

type Stored = (Position, String, ActorRow, Source);

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    let kind = known(2, ActorKind::parse(row.get_ref(2)?.as_str()?))?;
    let actor = ActorRow { kind, name: name(row, 3)? };
    Ok((Position(row.get(0)?), row.get(1)?, actor, known(4, Source::parse(row.get_ref(4)?.as_str()?))?))
}

fn read((position, body, actor, source): Stored) -> Result<EventRow, StoreError> {
    let event = domain::ledger::read(&body).map_err(StoreError::internal)?;
    let payload = payload_of(&event.kind, event.payload.clone(), source == Source::Import)?;
    Ok(EventRow { position, event, payload, actor, source })
}

impl Reader<'_> {
    /// The store's newest position; 0 in an empty store.
    pub fn position(&self) -> Result<Position, StoreError> {
        let sql = "SELECT coalesce(max(position), 0) FROM events";
        Ok(Position(self.conn.prepare_cached(sql)?.query_row([], |row| row.get(0))?))
    }

    fn events(&self, sql: &str, params: impl rusqlite::Params) -> Result<Vec<EventRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map(params, stored)?;
        rows.map(|row| read(row?)).collect()
    }

    /// The newest events that a board's strip shows, after `since`, newest last.
    pub fn event_strip(
        &self,
        project: &ProjectRow,
        since: Position,
        limit: u32,
    ) -> Result<Vec<EventRow>, StoreError> {
        let sql = format!(
            "{EVENT} WHERE e.project = ?1 AND e.position > ?2
               AND e.kind IN ({OF_BOARD}) AND e.kind IN ({OF_STRIP})
             ORDER BY e.position DESC LIMIT ?3"
        );
        let mut newest = self.events(&sql, params![project.key, since.0, limit])?;
        newest.reverse();
        Ok(newest)
    }

    /// Everything about one task, newest first.
    pub fn event_of_task(
        &self,
        project: &ProjectRow,
        task: TaskNo,
        limit: u32,
    ) -> Result<Vec<EventRow>, StoreError> {
        let sql = format!("{EVENT} WHERE e.project = ?1 AND e.task = ?2 ORDER BY e.position DESC LIMIT ?3");
        self.events(&sql, params![project.key, task.0, limit])
    }

    /// Events as they were written, after a position, in order.
    pub fn event_raw_after(&self, after: Position, limit: u32) -> Result<Vec<RawEvent>, StoreError> {
        let sql = "SELECT e.position, r.id, e.body, e.hash FROM events e JOIN runs r ON r.key = e.run
                   WHERE e.position > ?1 ORDER BY e.position LIMIT ?2";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map(params![after.0, limit], |row| {
            Ok(RawEvent {
                position: Position(row.get(0)?),
                run: run_id(row, 1)?,
                body: row.get(2)?,
                hash: Hash(row.get(3)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn event_get(&self, run: RunId, seq: Seq) -> Result<Option<EventRow>, StoreError> {
        Ok(self.event_range(run, seq, 1)?.into_iter().find(|row| row.event.seq == seq))
    }

    /// Events of one run from `from` on.
    pub fn event_range(&self, run: RunId, from: Seq, limit: u32) -> Result<Vec<EventRow>, StoreError> {
        let sql = format!("{EVENT} WHERE r.id = ?1 AND e.seq >= ?2 ORDER BY e.seq LIMIT ?3");
        self.events(&sql, params![run.0.as_bytes(), from.0, limit])
    }

    /// Reads that a run made before `before`, newest first.
    pub fn event_reads_before(
        &self,
        run: RunId,
        before: Seq,
        limit: u32,
    ) -> Result<Vec<EventRow>, StoreError> {
        let sql = format!(
            "{EVENT} WHERE r.id = ?1 AND e.seq < ?2 AND e.kind = 'call_answered' ORDER BY e.seq DESC LIMIT ?3"
        );
        self.events(&sql, params![run.0.as_bytes(), before.0, limit])
    }

    /// Where an event of a run stands in the store.
    pub fn event_position(&self, run: RunId, seq: Seq) -> Result<Option<Position>, StoreError> {
        let sql =
            "SELECT e.position FROM events e JOIN runs r ON r.key = e.run WHERE r.id = ?1 AND e.seq = ?2";
        let found = self
            .conn
            .prepare_cached(sql)?
            .query_row(params![run.0.as_bytes(), seq.0], |row| Ok(Position(row.get(0)?)))
            .optional()?;
        Ok(found)
    }

    /// The hash that was written with an event.
    pub fn event_hash(&self, run: RunId, seq: Seq) -> Result<Option<Hash>, StoreError> {
        let sql = "SELECT e.hash FROM events e JOIN runs r ON r.key = e.run WHERE r.id = ?1 AND e.seq = ?2";
        let found = self
            .conn
            .prepare_cached(sql)?
            .query_row(params![run.0.as_bytes(), seq.0], |row| Ok(Hash(row.get(0)?)))
            .optional()?;
        Ok(found)
    }

    /// The newest event of a board at or before `at`.
    pub fn event_of_board_before(
        &self,
        project: &ProjectRow,
        at: Position,
    ) -> Result<Option<EventRow>, StoreError> {
        let sql = format!(
            "{EVENT} WHERE e.project = ?1 AND e.position <= ?2 AND e.kind IN ({OF_BOARD})
             ORDER BY e.position DESC LIMIT 1"
        );
        Ok(self.events(&sql, params![project.key, at.0])?.pop())
    }

    /// The stored bytes of a run's events from `from` on, in order, until `each` gives `false`.
    pub fn event_bytes_each(
        &self,
        run: RunId,
        from: Seq,
        mut each: impl FnMut(Seq, Position, &str, Hash) -> bool,
    ) -> Result<(), StoreError> {
        let sql = "SELECT e.seq, e.position, e.body, e.hash FROM events e
                   WHERE e.run = (SELECT key FROM runs WHERE id = ?1) AND e.seq >= ?2 ORDER BY e.seq";
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query(params![run.0.as_bytes(), from.0])?;
        while let Some(row) = rows.next()? {
            let body = row.get_ref(2)?.as_str().map_err(StoreError::internal)?;
            if !each(Seq(row.get(0)?), Position(row.get(1)?), body, Hash(row.get(3)?)) {
                break;
            }
        }
        Ok(())
    }

    /// The stored bytes of what happened on a board after `after`, up to `until`, in order, until
    /// `each` gives `false`.
    pub fn event_of_board_each(
        &self,
        project: &ProjectRow,
        (after, until): (Position, Position),
        mut each: impl FnMut(Position, RunId, &str) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let sql = format!(
            "SELECT e.position, r.id, e.body FROM events e JOIN runs r ON r.key = e.run
             WHERE e.project = ?1 AND e.position > ?2 AND e.position <= ?3 AND e.kind IN ({OF_BOARD})
             ORDER BY e.position"
        );
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut rows = statement.query(params![project.key, after.0, until.0])?;
        while let Some(row) = rows.next()? {
            let body = row.get_ref(2)?.as_str().map_err(StoreError::internal)?;
            if !each(Position(row.get(0)?), run_id(row, 1)?, body)? {
                break;
            }
        }
        Ok(())
    }

    /// Position, kind and time of what happened on a board, in order. The time stands first in the
    /// canonical form, so that no body is read whole.
    pub fn event_of_board_heads(
        &self,
        project: &ProjectRow,
        mut each: impl FnMut(Position, &str, &str),
    ) -> Result<(), StoreError> {
        let sql = format!(
            "SELECT e.position, e.kind, substr(e.body, 8, 24) FROM events e
             WHERE e.project = ?1 AND e.kind IN ({OF_BOARD}) ORDER BY e.position"
        );
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([project.key])?;
        while let Some(row) = rows.next()? {
            let text = |column: usize| row.get_ref(column)?.as_str().map_err(StoreError::internal);
            each(Position(row.get(0)?), text(1)?, text(2)?);
        }
        Ok(())
    }
}
