//! Which other events belong to one: call and result, the tries of a refused call, the read that a
//! stale call rested on, the versions of a task before and after.

use super::events::{Related, Why, event_line};
use domain::event::Payload;
use domain::{RunId, Seq, TaskNo, Version};
use serde_json::Value;
use store::table::event::EventRow;
use store::{Reader, StoreError};

/// A result is looked for among so many events around its call.
const NEAR: u32 = 500;
/// Tries that are listed.
const TRIES_MAX: u32 = 20;
/// Reads that are looked through for the one that a stale call rested on.
const READS_MAX: u32 = 400;
/// Versions of a task that are looked through.
const VERSIONS_MAX: u32 = 1_000;

pub(super) fn related(reader: &Reader<'_>, row: &EventRow) -> Result<Vec<Related>, StoreError> {
    let Some(payload) = &row.payload else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    calls(reader, row, payload, &mut found)?;
    if let Payload::CallRejected(refused) = payload {
        tries(reader, row, &mut found)?;
        if refused.code == "STALE"
            && let Some(task) = refused.task
            && let Some(version) = held(&refused.arguments)
        {
            stale(reader, row, task, version, &mut found)?;
        }
    }
    versions(reader, row, payload, &mut found)?;
    found.iter().map(|(why, row)| link(reader, *why, row)).collect()
}

type Found = Vec<(Why, EventRow)>;

fn link(reader: &Reader<'_>, why: Why, row: &EventRow) -> Result<Related, StoreError> {
    Ok(Related { why, run: row.event.run.to_string(), line: event_line(reader, row)? })
}

/// The id that ties a proposal, its call and its result together.
fn call_id(payload: &Payload) -> Option<&str> {
    match payload {
        Payload::ModelProposed(event) => event.call.as_deref(),
        Payload::ToolCalled(event) => event.call.as_deref(),
        Payload::ToolReturned(event) => event.call.as_deref(),
        Payload::ToolFailed(event) => event.call.as_deref(),
        Payload::PermissionAsked(event) => event.call.as_deref(),
        Payload::PermissionDecided(event) => event.call.as_deref(),
        _ => None,
    }
}

fn calls(
    reader: &Reader<'_>,
    row: &EventRow,
    payload: &Payload,
    found: &mut Found,
) -> Result<(), StoreError> {
    let Some(id) = call_id(payload) else { return Ok(()) };
    let from = Seq(row.event.seq.0.saturating_sub(u64::from(NEAR / 2)).max(1));
    for near in reader.event_range(row.event.run, from, NEAR)? {
        let same = near.payload.as_ref().and_then(call_id) == Some(id);
        if same && near.event.seq != row.event.seq {
            let why = match &near.payload {
                Some(Payload::ToolReturned(_) | Payload::ToolFailed(_) | Payload::PermissionDecided(_)) => {
                    Why::Result
                }
                _ => Why::Call,
            };
            found.push((why, near));
        }
    }
    Ok(())
}

fn tries(reader: &Reader<'_>, row: &EventRow, found: &mut Found) -> Result<(), StoreError> {
    let run = row.event.run;
    let Some(chain) = reader.chain_of(run, row.event.seq)? else { return Ok(()) };
    for seq in reader.chain_tries(&chain, TRIES_MAX)? {
        if seq != row.event.seq
            && let Some(other) = reader.event_get(run, seq)?
        {
            found.push((Why::Try, other));
        }
    }
    if let Some(repair) = chain.repaired_by
        && let Some(repair) = reader.event_get(run, repair)?
    {
        found.push((Why::Repair, repair));
    }
    Ok(())
}

/// The version that a call held on to.
fn held(arguments: &str) -> Option<Version> {
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    let version = arguments["expectedVersion"].as_u64()?;
    u32::try_from(version).ok().map(Version)
}

/// The version of `task` that an event showed its run.
fn showed(row: &EventRow, task: TaskNo) -> Option<Version> {
    match row.payload.as_ref()? {
        Payload::CallAnswered(answered) => answered.seen.get(&task).copied(),
        payload if payload.task() == Some(task) => payload.line().version,
        _ => None,
    }
}

/// The read, or the run's own change, that showed the version; and the change that overtook it.
fn stale(
    reader: &Reader<'_>,
    row: &EventRow,
    task: TaskNo,
    version: Version,
    found: &mut Found,
) -> Result<(), StoreError> {
    let run = row.event.run;
    let reads = reader.event_reads_before(run, row.event.seq, READS_MAX)?;
    let read = reads.into_iter().find(|read| showed(read, task) == Some(version));
    let history = history(reader, run, task)?;
    let own = history.iter().find(|change| {
        change.event.run == run && change.payload.as_ref().and_then(version_of) == Some(version)
    });
    if let Some(source) = read.or_else(|| own.cloned()) {
        found.push((Why::StaleRead, source));
    }
    let overtook = history
        .into_iter()
        .find(|change| change.payload.as_ref().and_then(version_of) == Some(version.next()));
    if let Some(overtook) = overtook.filter(|change| change.position < row.position) {
        found.push((Why::Overtaken, overtook));
    }
    Ok(())
}

fn version_of(payload: &Payload) -> Option<Version> {
    match payload {
        Payload::TaskCreated(_)
        | Payload::TaskUpdated(_)
        | Payload::TaskDeleted(_)
        | Payload::TaskRestored(_) => payload.line().version,
        _ => None,
    }
}

fn history(reader: &Reader<'_>, run: RunId, task: TaskNo) -> Result<Vec<EventRow>, StoreError> {
    let Some(row) = reader.run_get(run)? else { return Ok(Vec::new()) };
    let Some(project) = reader.project_by_id(row.project)? else { return Ok(Vec::new()) };
    reader.event_of_task(&project, task, VERSIONS_MAX)
}

fn versions(
    reader: &Reader<'_>,
    row: &EventRow,
    payload: &Payload,
    found: &mut Found,
) -> Result<(), StoreError> {
    let (Some(version), Some(task)) = (version_of(payload), payload.task()) else { return Ok(()) };
    for other in history(reader, row.event.run, task)? {
        match other.payload.as_ref().and_then(version_of) {
            Some(before) if before.next() == version => found.push((Why::VersionBefore, other)),
            Some(after) if after == version.next() => found.push((Why::VersionAfter, other)),
            _ => {}
        }
    }
    Ok(())
}
