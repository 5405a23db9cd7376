//! The ledger: what happened, in the order of the store.

use super::project::ProjectRow;
use super::task::ActorRow;
use super::{known, name, run_id};
use crate::{Reader, StoreError};
use domain::event::Payload;
use domain::ledger::{Hash, Read};
use domain::{ActorKind, Position, RunId, Source, TaskNo};
use rusqlite::{Row, params};

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
    let payload = Payload::parse(&event.kind, event.payload.clone())?;
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
               AND e.kind IN ('call_rejected', 'run_ended', 'run_started', 'task_created', 'task_deleted',
                              'task_restored', 'task_updated')
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
}
