//! Events → rows. The tables `projects`, `runs`, `tasks`, `task_deps`, `chains` and `refusals` hold
//! what the folds of `domain` say, kept up to date event by event; dropping and replaying them gives
//! equal rows.

mod refusal;
mod run;
mod task;

use crate::{StoreError, Tx};
use domain::event::{Cause, Payload};
use domain::ledger::{Hash, Head};
use domain::{Position, RunId, Seq, Timestamp};
use rusqlite::{Connection, params};

pub use run::IMPORTED;
pub(crate) use run::{import_project, imported};

/// Where an event stands, in the store's own keys.
#[derive(Debug)]
pub(crate) struct Row {
    pub position: Position,
    pub run_key: i64,
    pub run: RunId,
    pub project_key: i64,
    pub at: Timestamp,
    pub head: Head,
    /// The run was read in from a file.
    pub imported: bool,
}

pub(crate) fn next_key(conn: &Connection, table: &str) -> Result<i64, StoreError> {
    let sql = format!("SELECT coalesce(max(key), 0) + 1 FROM {table}");
    Ok(conn.prepare_cached(&sql)?.query_row([], |row| row.get(0))?)
}

/// Brings the views past one event. An unknown kind only moves its run's head, and so does every
/// event of a run that was read in from a file: it touches no board.
pub(crate) fn apply(conn: &Connection, row: &Row, payload: Option<&Payload>) -> Result<(), StoreError> {
    if let Some(Payload::RunStarted(event)) = payload
        && !row.imported
    {
        return run::started(conn, row, event);
    }
    if let Some(payload) = payload {
        if let Some(used) = payload.usage() {
            run::used(conn, row, used)?;
        }
        match payload {
            Payload::RunEnded(event) => run::stands(conn, row, Some(event.reason))?,
            Payload::RunResumed(_) => run::stands(conn, row, None)?,
            _ => {}
        }
        if !row.imported {
            apply_to_tasks(conn, row, payload)?;
        }
        apply_to_chains(conn, row, payload)?;
    }
    let moved = conn
        .prepare_cached("UPDATE runs SET head_seq = ?2, head_hash = ?3, last_at = ?4 WHERE key = ?1")?
        .execute(params![row.run_key, row.head.seq.0, row.head.hash.0.as_slice(), row.at.unix_ms()])?;
    one(moved, "run")
}

/// The same as `domain::fold::Board::apply`, in rows: first the tasks …
fn apply_to_tasks(conn: &Connection, row: &Row, payload: &Payload) -> Result<(), StoreError> {
    match payload {
        Payload::TaskCreated(event) => task::task_created(conn, row, event),
        Payload::TaskUpdated(event) => task::task_updated(conn, row, event),
        Payload::TaskDeleted(event) => task::task_hidden(conn, row, event.task, event.version, true),
        Payload::TaskRestored(event) => task::task_hidden(conn, row, event.task, event.version, false),
        _ => Ok(()),
    }
}

/// … then what the event means for refused calls.
fn apply_to_chains(conn: &Connection, row: &Row, payload: &Payload) -> Result<(), StoreError> {
    let accepted = |cause: &Cause, task| refusal::accepted(conn, row, &cause.tool, task);
    match payload {
        Payload::TaskCreated(event) => accepted(&event.call, None),
        Payload::TaskUpdated(event) => accepted(&event.call, Some(event.task)),
        Payload::TaskDeleted(event) => accepted(&event.call, Some(event.task)),
        Payload::TaskRestored(event) => accepted(&event.call, Some(event.task)),
        Payload::CallAnswered(event) => refusal::accepted(conn, row, &event.tool, event.aim()),
        Payload::CallRejected(event) => refusal::rejected(conn, row, event),
        Payload::RejectionMarked(event) => refusal::marked(conn, row, event),
        Payload::RunEnded(_) => refusal::ended(conn, row),
        Payload::TodoWritten(event) => event.call.as_ref().map_or(Ok(()), |call| accepted(call, None)),
        Payload::Note(event) => event.call.as_ref().map_or(Ok(()), |call| accepted(call, None)),
        Payload::RunStarted(_)
        | Payload::RunResumed(_)
        | Payload::TurnStarted(_)
        | Payload::TurnEnded(_)
        | Payload::Message(_)
        | Payload::ModelProposed(_)
        | Payload::ToolCalled(_)
        | Payload::ToolReturned(_)
        | Payload::ToolFailed(_)
        | Payload::PermissionAsked(_)
        | Payload::PermissionDecided(_)
        | Payload::RogueFileSeen(_)
        | Payload::BudgetExhausted(_)
        | Payload::Verdict(_) => Ok(()),
    }
}

fn one(changed: usize, what: &str) -> Result<(), StoreError> {
    match changed {
        1 => Ok(()),
        n => Err(StoreError::internal(format!("an event changed {n} rows of {what}, not one"))),
    }
}

/// Reads a payload. What a file from elsewhere says under a kind of ours may have another shape: it
/// is kept, and passed over.
pub(crate) fn payload_of(
    kind: &str,
    payload: serde_json::Value,
    imported: bool,
) -> Result<Option<Payload>, StoreError> {
    match Payload::parse(kind, payload) {
        Err(_) if imported => Ok(None),
        other => Ok(other?),
    }
}

impl Tx<'_> {
    /// Drops every view and replays all events into it.
    pub fn views_rebuild(&mut self) -> Result<(), StoreError> {
        self.conn.execute_batch(
            "PRAGMA defer_foreign_keys = ON;
             DELETE FROM refusals; DELETE FROM chains; DELETE FROM task_deps; DELETE FROM tasks;
             DELETE FROM runs; DELETE FROM projects;",
        )?;
        let imports = run::imports(self.conn)?;
        let mut events =
            self.conn.prepare("SELECT position, run, project, body, hash FROM events ORDER BY position")?;
        let mut rows = events.query([])?;
        while let Some(stored) = rows.next()? {
            let body: String = stored.get(3)?;
            let event = domain::ledger::read(&body).map_err(StoreError::internal)?;
            let run_key = stored.get(1)?;
            let import = imports.get(&run_key);
            let payload = payload_of(&event.kind, event.payload, import.is_some())?;
            let row = Row {
                position: Position(stored.get(0)?),
                run_key,
                run: event.run,
                project_key: stored.get(2)?,
                at: event.at,
                head: Head { seq: Seq(event.seq.0), hash: Hash(stored.get(4)?) },
                imported: import.is_some(),
            };
            if let Some(import) = import
                && event.seq == Seq(1)
            {
                run::imported(self.conn, &row, import)?;
            }
            apply(self.conn, &row, payload.as_ref())?;
        }
        Ok(())
    }
}
