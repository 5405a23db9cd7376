//! Events of tasks → the tables `tasks` and `task_deps`.

use super::{Row, one};
use crate::StoreError;
use domain::event::{TaskCreated, TaskUpdated};
use domain::fold::held_after;
use domain::{Status, TaskNo, Version};
use rusqlite::{Connection, OptionalExtension, params};

pub(super) fn task_created(conn: &Connection, row: &Row, event: &TaskCreated) -> Result<(), StoreError> {
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

pub(super) fn task_updated(conn: &Connection, row: &Row, event: &TaskUpdated) -> Result<(), StoreError> {
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

pub(super) fn task_hidden(
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
