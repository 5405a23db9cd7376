//! Events → rows. The tables `projects`, `runs`, `tasks` and `task_deps` hold what the fold of
//! `domain` says, kept up to date event by event; dropping and replaying them gives equal rows.

use crate::{StoreError, Tx};
use domain::event::{CallRejected, Payload, RunStarted, TaskCreated, TaskUpdated};
use domain::fold::held_after;
use domain::ledger::{Hash, Head};
use domain::{Position, RunId, Seq, Status, TaskNo, Timestamp, Version};
use rusqlite::{Connection, OptionalExtension, params};

/// Where an event stands, in the store's own keys.
#[derive(Debug)]
pub(crate) struct Row {
    pub position: Position,
    pub run_key: i64,
    pub run: RunId,
    pub project_key: i64,
    pub at: Timestamp,
    pub head: Head,
}

pub(crate) fn next_key(conn: &Connection, table: &str) -> Result<i64, StoreError> {
    let sql = format!("SELECT coalesce(max(key), 0) + 1 FROM {table}");
    Ok(conn.prepare_cached(&sql)?.query_row([], |row| row.get(0))?)
}

/// The task an event is about.
pub(crate) fn task_of(payload: &Payload) -> Option<TaskNo> {
    match payload {
        Payload::TaskCreated(event) => Some(event.task),
        Payload::TaskUpdated(event) => Some(event.task),
        Payload::TaskDeleted(event) => Some(event.task),
        Payload::TaskRestored(event) => Some(event.task),
        Payload::CallRejected(event) => event.task,
        Payload::RunStarted(_) | Payload::RunEnded(_) => None,
    }
}

/// Brings the views past one event. An unknown kind only moves its run's head.
pub(crate) fn apply(conn: &Connection, row: &Row, payload: Option<&Payload>) -> Result<(), StoreError> {
    match payload {
        None => {}
        Some(Payload::RunStarted(event)) => return run_started(conn, row, event),
        Some(Payload::RunEnded(event)) => {
            conn.prepare_cached("UPDATE runs SET status = ?2, ended_at = ?3 WHERE key = ?1")?
                .execute(params![row.run_key, event.reason.as_str(), row.at.unix_ms()])?;
        }
        Some(Payload::TaskCreated(event)) => task_created(conn, row, event)?,
        Some(Payload::TaskUpdated(event)) => task_updated(conn, row, event)?,
        Some(Payload::TaskDeleted(event)) => task_hidden(conn, row, event.task, event.version, true)?,
        Some(Payload::TaskRestored(event)) => task_hidden(conn, row, event.task, event.version, false)?,
        Some(Payload::CallRejected(event)) => call_rejected(conn, row, event)?,
    }
    let moved = conn
        .prepare_cached("UPDATE runs SET head_seq = ?2, head_hash = ?3, last_at = ?4 WHERE key = ?1")?
        .execute(params![row.run_key, row.head.seq.0, row.head.hash.0.as_slice(), row.at.unix_ms()])?;
    one(moved, "run")
}

fn one(changed: usize, what: &str) -> Result<(), StoreError> {
    match changed {
        1 => Ok(()),
        n => Err(StoreError::internal(format!("an event changed {n} rows of {what}, not one"))),
    }
}

fn run_started(conn: &Connection, row: &Row, event: &RunStarted) -> Result<(), StoreError> {
    let project = &event.project;
    conn.prepare_cached(
        "INSERT INTO projects (key, id, name, path) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    )?
    .execute(params![row.project_key, project.id.0.as_bytes(), project.name, project.path])?;
    conn.prepare_cached(
        "INSERT INTO runs (key, id, project, actor, name, version, source, status, head_seq, head_hash, rejected,
                           started_at, last_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'running', ?8, ?9, 0, ?10, ?10)",
    )?
    .execute(params![
        row.run_key,
        row.run.0.as_bytes(),
        row.project_key,
        event.actor.as_str(),
        event.name.as_str(),
        event.version,
        event.source.as_str(),
        row.head.seq.0,
        row.head.hash.0.as_slice(),
        row.at.unix_ms(),
    ])?;
    Ok(())
}

fn task_created(conn: &Connection, row: &Row, event: &TaskCreated) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO tasks (project, no, id, version, status, subject, description, holder, rejected, deleted,
                            created_position, created_run, created_at, changed_position, changed_run, changed_at, touched)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL, 0, 0, ?8, ?9, ?10, ?8, ?9, ?10, ?8)",
    )?
    .execute(params![
        row.project_key,
        event.task.0,
        event.id.0.as_bytes(),
        event.version.0,
        event.status.as_str(),
        event.subject.as_str(),
        event.description.as_ref().map(domain::Description::as_str),
        row.position.0,
        row.run_key,
        row.at.unix_ms(),
    ])?;
    deps_insert(conn, row.project_key, event.task, &event.blocked_by)
}

fn deps_insert(conn: &Connection, project: i64, task: TaskNo, blockers: &[TaskNo]) -> Result<(), StoreError> {
    let mut insert =
        conn.prepare_cached("INSERT INTO task_deps (project, task, blocker) VALUES (?1, ?2, ?3)")?;
    for blocker in blockers {
        insert.execute(params![project, task.0, blocker.0])?;
    }
    Ok(())
}

fn task_updated(conn: &Connection, row: &Row, event: &TaskUpdated) -> Result<(), StoreError> {
    let changes = &event.changes;
    let before: Option<(String, Option<i64>)> = conn
        .prepare_cached("SELECT status, holder FROM tasks WHERE project = ?1 AND no = ?2")?
        .query_row(params![row.project_key, event.task.0], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((status, mut holder)) = before else { return one(0, "task") };
    let status_after = changes.status.as_ref().map(|change| change.after);
    if let (Some(before), Some(after)) = (Status::parse(&status), status_after) {
        holder = held_after(holder, before, after, row.run_key);
    }
    let described =
        changes.description.as_ref().map(|change| change.after.as_ref().map(domain::Description::as_str));
    let changed = conn
        .prepare_cached(
            "UPDATE tasks SET version = ?3, status = coalesce(?4, status), subject = coalesce(?5, subject),
                    description = CASE WHEN ?6 THEN ?7 ELSE description END, holder = ?8,
                    changed_position = ?9, changed_run = ?10, changed_at = ?11, touched = ?9
             WHERE project = ?1 AND no = ?2 AND version = ?3 - 1",
        )?
        .execute(params![
            row.project_key,
            event.task.0,
            event.version.0,
            status_after.map(Status::as_str),
            changes.subject.as_ref().map(|change| change.after.as_str()),
            described.is_some(),
            described.flatten(),
            holder,
            row.position.0,
            row.run_key,
            row.at.unix_ms(),
        ])?;
    one(changed, "task")?;
    if let Some(blocked_by) = &changes.blocked_by {
        conn.prepare_cached("DELETE FROM task_deps WHERE project = ?1 AND task = ?2")?
            .execute(params![row.project_key, event.task.0])?;
        deps_insert(conn, row.project_key, event.task, &blocked_by.after)?;
    }
    Ok(())
}

fn task_hidden(
    conn: &Connection,
    row: &Row,
    no: TaskNo,
    to: Version,
    deleted: bool,
) -> Result<(), StoreError> {
    let changed = conn
        .prepare_cached(
            "UPDATE tasks SET version = ?3, deleted = ?4, changed_position = ?5, changed_run = ?6, changed_at = ?7,
                    touched = ?5
             WHERE project = ?1 AND no = ?2 AND version = ?3 - 1",
        )?
        .execute(params![
            row.project_key,
            no.0,
            to.0,
            deleted,
            row.position.0,
            row.run_key,
            row.at.unix_ms()
        ])?;
    one(changed, "task")
}

fn call_rejected(conn: &Connection, row: &Row, event: &CallRejected) -> Result<(), StoreError> {
    let count = 1 + event.suppressed;
    conn.prepare_cached("UPDATE runs SET rejected = rejected + ?2 WHERE key = ?1")?
        .execute(params![row.run_key, count])?;
    if let Some(task) = event.task {
        conn.prepare_cached(
            "UPDATE tasks SET rejected = min(rejected + ?3, 4294967295), touched = ?4 WHERE project = ?1 AND no = ?2",
        )?
        .execute(params![row.project_key, task.0, count, row.position.0])?;
    }
    Ok(())
}

impl Tx<'_> {
    /// Drops every view and replays all events into it.
    pub fn views_rebuild(&mut self) -> Result<(), StoreError> {
        self.conn.execute_batch(
            "PRAGMA defer_foreign_keys = ON;
             DELETE FROM task_deps; DELETE FROM tasks; DELETE FROM runs; DELETE FROM projects;",
        )?;
        let mut events =
            self.conn.prepare("SELECT position, run, project, body, hash FROM events ORDER BY position")?;
        let mut rows = events.query([])?;
        while let Some(stored) = rows.next()? {
            let body: String = stored.get(3)?;
            let event = domain::ledger::read(&body).map_err(StoreError::internal)?;
            let payload = Payload::parse(&event.kind, event.payload)?;
            let row = Row {
                position: Position(stored.get(0)?),
                run_key: stored.get(1)?,
                run: event.run,
                project_key: stored.get(2)?,
                at: event.at,
                head: Head { seq: Seq(event.seq.0), hash: Hash(stored.get(4)?) },
            };
            apply(self.conn, &row, payload.as_ref())?;
        }
        Ok(())
    }
}
