//! Refused and accepted calls → the tables `chains` and `refusals`. What they mean is decided by
//! `domain::repair`; here its state is read, and written back where it changed.

use super::Row;
use crate::StoreError;
use domain::event::{CallRejected, RejectionMarked};
use domain::repair::{Calls, Chain, Shift};
use domain::{Outcome, Seq, TaskNo};
use rusqlite::{Connection, OptionalExtension, params};

/// The chains of a run that were not repaired.
fn chains(conn: &Connection, run: i64) -> Result<Vec<Chain>, StoreError> {
    let sql = "SELECT seq, tool, task, state, expected, last_call, digest, same FROM chains
               WHERE run = ?1 AND state <> 'repaired' ORDER BY seq";
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map([run], |row| {
        Ok(Chain {
            seq: Seq(row.get(0)?),
            tool: row.get(1)?,
            task: row.get::<_, Option<u32>>(2)?.map(TaskNo),
            state: crate::table::known(3, Outcome::parse(row.get_ref(3)?.as_str()?))?,
            expected: row.get(4)?,
            last_call: row.get(5)?,
            digest: row.get(6)?,
            same: row.get(7)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn made(conn: &Connection, run: i64) -> Result<u64, StoreError> {
    Ok(conn.prepare_cached("SELECT calls FROM runs WHERE key = ?1")?.query_row([run], |row| row.get(0))?)
}

fn made_more(conn: &Connection, run: i64) -> Result<(), StoreError> {
    conn.prepare_cached("UPDATE runs SET calls = calls + 1 WHERE key = ?1")?.execute([run])?;
    Ok(())
}

/// Writes back what a shift says, and has the card of its task drawn anew.
fn shifted(conn: &Connection, row: &Row, run: i64, shifts: &[Shift]) -> Result<(), StoreError> {
    for shift in shifts {
        if shift.after == Outcome::Repaired {
            conn.prepare_cached(
                "UPDATE chains SET state = 'repaired', repaired_by = ?3, last_at = ?4 WHERE run = ?1 AND seq = ?2",
            )?
            .execute(params![run, shift.chain.0, row.head.seq.0, row.at.unix_ms()])?;
        }
        if let Some(task) = shift.task {
            conn.prepare_cached("UPDATE tasks SET touched = ?3 WHERE project = ?1 AND no = ?2")?
                .execute(params![row.project_key, task.0, row.position.0])?;
        }
    }
    Ok(())
}

/// Brings the stored chains to what the pure state says.
fn store_states(conn: &Connection, run: i64, before: &[Chain], after: &[Chain]) -> Result<(), StoreError> {
    for chain in after.iter().filter(|chain| !before.contains(chain)) {
        conn.prepare_cached(
            "UPDATE chains SET state = ?3, expected = ?4, last_call = ?5, digest = ?6, same = ?7
             WHERE run = ?1 AND seq = ?2",
        )?
        .execute(params![
            run,
            chain.seq.0,
            chain.state.as_str(),
            chain.expected,
            chain.last_call,
            chain.digest,
            chain.same
        ])?;
    }
    Ok(())
}

/// A call of the event's run was accepted.
pub(super) fn accepted(
    conn: &Connection,
    row: &Row,
    tool: &str,
    task: Option<TaskNo>,
) -> Result<(), StoreError> {
    let before = chains(conn, row.run_key)?;
    if !before.is_empty() {
        let mut calls = Calls { made: made(conn, row.run_key)?, chains: before.clone() };
        let shifts = calls.accepted(tool, task);
        store_states(conn, row.run_key, &before, &calls.chains)?;
        shifted(conn, row, row.run_key, &shifts)?;
    }
    made_more(conn, row.run_key)
}

pub(super) fn rejected(conn: &Connection, row: &Row, event: &CallRejected) -> Result<(), StoreError> {
    let count = 1 + event.suppressed;
    conn.prepare_cached("UPDATE runs SET rejected = rejected + ?2 WHERE key = ?1")?
        .execute(params![row.run_key, count])?;
    if let Some(task) = event.task {
        conn.prepare_cached(
            "UPDATE tasks SET rejected = min(rejected + ?3, 4294967295), touched = ?4 WHERE project = ?1 AND no = ?2",
        )?
        .execute(params![row.project_key, task.0, count, row.position.0])?;
    }
    let before = chains(conn, row.run_key)?;
    let mut calls = Calls { made: made(conn, row.run_key)?, chains: before.clone() };
    let (chain, shifts) = calls.refused(row.head.seq, &event.tool, event.task, &event.digest);
    if chain == row.head.seq {
        chain_insert(conn, row, event, &calls)?;
    } else {
        conn.prepare_cached("UPDATE chains SET tries = tries + 1, last_at = ?3 WHERE run = ?1 AND seq = ?2")?
            .execute(params![row.run_key, chain.0, row.at.unix_ms()])?;
    }
    store_states(conn, row.run_key, &before, &calls.chains)?;
    shifted(conn, row, row.run_key, &shifts)?;
    conn.prepare_cached("INSERT INTO refusals (run, seq, chain) VALUES (?1, ?2, ?3)")?.execute(params![
        row.run_key,
        row.head.seq.0,
        chain.0
    ])?;
    made_more(conn, row.run_key)
}

fn chain_insert(conn: &Connection, row: &Row, event: &CallRejected, calls: &Calls) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO chains (run, seq, project, position, tool, task, code, state, expected, tries, last_call, digest,
                             same, first_at, last_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'open', 0, 1, ?8, ?9, 1, ?10, ?10)",
    )?
    .execute(params![
        row.run_key,
        row.head.seq.0,
        row.project_key,
        row.position.0,
        event.tool,
        event.task.map(|no| no.0),
        event.code,
        calls.made,
        event.digest,
        row.at.unix_ms(),
    ])?;
    Ok(())
}

/// The run ended: what is open was given up.
pub(super) fn ended(conn: &Connection, row: &Row) -> Result<(), StoreError> {
    let before = chains(conn, row.run_key)?;
    if before.is_empty() {
        return Ok(());
    }
    let mut calls = Calls { made: 0, chains: before.clone() };
    let shifts = calls.ended();
    store_states(conn, row.run_key, &before, &calls.chains)?;
    shifted(conn, row, row.run_key, &shifts)
}

/// A person marked a chain of some run. A run that is not in this store has none.
pub(super) fn marked(conn: &Connection, row: &Row, event: &RejectionMarked) -> Result<(), StoreError> {
    let run: Option<i64> = conn
        .prepare_cached("SELECT key FROM runs WHERE id = ?1")?
        .query_row([event.run.0.as_bytes()], |row| row.get(0))
        .optional()?;
    if let Some(run) = run {
        let before = chains(conn, run)?;
        let mut calls = Calls { made: 0, chains: before.clone() };
        let shift = calls.marked(event.seq, event.expected);
        store_states(conn, run, &before, &calls.chains)?;
        shifted(conn, row, run, shift.as_slice())?;
    }
    accepted(conn, row, &event.call.tool, event.task)
}
