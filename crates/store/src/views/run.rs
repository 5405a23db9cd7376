//! Events of runs → the tables `runs` and `projects`.

use super::{Row, one};
use crate::StoreError;
use crate::table::import::ImportRow;
use domain::event::{RunStarted, Usage};
use domain::{EndReason, ProjectId, RunId, Source};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;
use uuid::Uuid;

/// Where runs from files stand: no board of this store.
pub const IMPORTED: ProjectId = ProjectId(Uuid::from_u128(0x7461_6c6c_7962_8000_8000_696d_706f_7274));

fn project_insert(
    conn: &Connection,
    key: i64,
    id: ProjectId,
    name: &str,
    path: Option<&str>,
) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO projects (key, id, name, path) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    )?
    .execute(params![key, id.0.as_bytes(), name, path])?;
    Ok(())
}

pub(super) fn started(conn: &Connection, row: &Row, event: &RunStarted) -> Result<(), StoreError> {
    let project = &event.project;
    project_insert(conn, row.project_key, project.id, &project.name, project.path.as_deref())?;
    let parent = match event.parent {
        Some(parent) => key_of(conn, parent)?,
        None => None,
    };
    conn.prepare_cached(
        "INSERT INTO runs (key, id, project, parent, parent_id, actor, name, version, title, source, status, head_seq,
                           head_hash, rejected, started_at, last_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'running', ?11, ?12, 0, ?13, ?13)",
    )?
    .execute(params![
        row.run_key,
        row.run.0.as_bytes(),
        row.project_key,
        parent,
        event.parent.map(|parent| parent.0.into_bytes()),
        event.actor.as_str(),
        event.name.as_str(),
        event.version,
        event.title,
        event.source.as_str(),
        row.head.seq.0,
        row.head.hash.0.as_slice(),
        row.at.unix_ms(),
    ])?;
    // Its sub-runs may have been known before it.
    conn.prepare_cached("UPDATE runs SET parent = ?1 WHERE parent_id = ?2 AND parent IS NULL")?
        .execute(params![row.run_key, row.run.0.as_bytes()])?;
    Ok(())
}

/// A run that was read in from a file, before its first event.
/// A file that tells no end is of a run whose end is not known, not of one that goes on.
pub(crate) fn imported(conn: &Connection, row: &Row, import: &ImportRow) -> Result<(), StoreError> {
    project_insert(conn, row.project_key, IMPORTED, "Imported", None)?;
    conn.prepare_cached(
        "INSERT INTO runs (key, id, project, actor, name, source, status, head_seq, head_hash, rejected, started_at,
                           last_at)
         VALUES (?1, ?2, ?3, 'agent', ?4, ?5, 'interrupted', 0, ?6, 0, ?7, ?7)",
    )?
    .execute(params![
        row.run_key,
        row.run.0.as_bytes(),
        row.project_key,
        import.name,
        Source::Import.as_str(),
        row.head.hash.0.as_slice(),
        row.at.unix_ms(),
    ])?;
    Ok(())
}

/// The project that runs from files belong to.
pub(crate) fn import_project(conn: &Connection) -> Result<i64, StoreError> {
    let known = conn
        .query_row("SELECT key FROM projects WHERE id = ?1", [IMPORTED.0.as_bytes()], |row| row.get(0))
        .optional()?;
    known.map_or_else(|| super::next_key(conn, "projects"), Ok)
}

pub(super) fn imports(conn: &Connection) -> Result<HashMap<i64, ImportRow>, StoreError> {
    let mut statement = conn.prepare("SELECT run, name, file, chained FROM imports")?;
    let rows = statement.query_map([], |row| {
        Ok((row.get(0)?, ImportRow { name: row.get(1)?, file: row.get(2)?, chained: row.get(3)? }))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn key_of(conn: &Connection, run: RunId) -> Result<Option<i64>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT key FROM runs WHERE id = ?1")?;
    Ok(statement.query_row([run.0.as_bytes()], |row| row.get(0)).optional()?)
}

/// `None`: it runs.
pub(super) fn stands(conn: &Connection, row: &Row, ended: Option<EndReason>) -> Result<(), StoreError> {
    let changed = conn.prepare_cached("UPDATE runs SET status = ?2, ended_at = ?3 WHERE key = ?1")?.execute(
        params![row.run_key, ended.map_or("running", EndReason::as_str), ended.map(|_| row.at.unix_ms())],
    )?;
    one(changed, "run")
}

pub(super) fn used(conn: &Connection, row: &Row, used: Usage) -> Result<(), StoreError> {
    conn.prepare_cached(
        "UPDATE runs SET tokens_in = coalesce(tokens_in, 0) + ?2, tokens_out = coalesce(tokens_out, 0) + ?3,
                cost = CASE WHEN ?4 IS NULL THEN cost ELSE coalesce(cost, 0) + ?4 END
         WHERE key = ?1",
    )?
    .execute(params![row.run_key, used.tokens_in, used.tokens_out, used.cost_micros])?;
    Ok(())
}
