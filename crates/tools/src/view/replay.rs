//! A board as it was: the fold of all events up to one of them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::board::{Card, FieldChange, Project, TaskStatus};
use super::events::EventLine;
use super::run::Plan;

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct ReplayParams {
    pub project: Option<String>,
    /// With a run, `at` is a seq of that run; without, a position of the store.
    pub run: Option<String>,
    #[ts(type = "number")]
    pub at: u64,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Replay {
    /// The store's newest position now.
    #[ts(type = "number")]
    pub position: u64,
    pub project: Project,
    pub run: Option<String>,
    /// What was asked for: a seq of the run, or a position.
    #[ts(type = "number")]
    pub at: u64,
    /// The last one there is now.
    #[ts(type = "number")]
    pub of: u64,
    /// The position after which the board is shown.
    #[ts(type = "number")]
    pub at_position: u64,
    /// When the event at `at` was written.
    pub time: String,
    /// SHA-256 of the board's canonical form; equal to the live board's at that position.
    pub digest: String,
    pub tasks: Vec<Card>,
    /// Tasks that exist now and did not yet then, and tasks that are on the board now and were deleted then.
    pub ghosts: Vec<Ghost>,
    /// What the event at `at` changed on the board.
    pub changed: Option<Changed>,
    /// The event at `at`.
    pub event: Option<EventLine>,
    /// With a run: its plan then.
    pub plan: Option<Plan>,
    /// With a run: refused calls up to then.
    #[ts(type = "number")]
    pub rejected: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Ghost {
    pub id: u32,
    pub subject: String,
    pub status: TaskStatus,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    pub task: u32,
    /// task_created, task_updated, task_deleted, task_restored or call_rejected.
    pub kind: String,
    pub changes: Vec<FieldChange>,
}

use super::board::{Actor, ActorKind, field_changes};
use super::events::event_line;
use super::{actor_of, find_run, in_project, outcome_of, project_of, status_of};
use crate::host::Host;
use crate::replay::{board_at, board_of_run};
use crate::{Refusal, timeline};
use domain::event::Payload;
use domain::fold::Board;
use domain::{Position, RunId, Seq, Source, TaskNo};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use store::table::event::EventRow;
use store::table::project::ProjectRow;
use store::table::run::RunRow;
use store::table::task::ActorRow;
use store::{Reader, StoreError};

pub(crate) fn load(host: &Host, params: &ReplayParams) -> Result<Replay, Refusal> {
    let run = match &params.run {
        Some(named) => Some(super::run_named(host, named)?),
        None => None,
    };
    in_project(host, params.project.as_deref(), |reader, project| {
        let run = match run {
            Some(id) => Some(find_run(reader, id)?),
            None => None,
        };
        let project = match &run {
            Some(run) => reader.project_by_id(run.project)?,
            None => project,
        };
        let project = project.unwrap_or_else(super::no_project);
        moment(reader, &project, run.as_ref(), params.at)
    })
}

fn moment(
    reader: &Reader<'_>,
    project: &ProjectRow,
    run: Option<&RunRow>,
    at: u64,
) -> Result<Replay, StoreError> {
    let newest = reader.position()?;
    let of = run.map_or(newest.0, |run| run.events.0);
    let at = at.clamp(1, of.max(1));
    let event = match run {
        Some(run) => reader.event_get(run.id, Seq(at))?,
        None => reader.event_of_board_before(project, Position(at))?,
    };
    let at_position = match run {
        Some(_) => event.as_ref().map_or(Position(0), |event| event.position),
        None => Position(at),
    };
    let board = match run {
        Some(run) if run.source == Source::Import => board_of_run(reader, run.id, Seq(at))?,
        _ => board_at(reader, project, at_position)?,
    };
    let facts = match run {
        Some(run) => Some(timeline::known(reader, run.id, Seq(at), false)?.0.facts),
        None => None,
    };
    let tasks = cards(reader, &board)?;
    Ok(Replay {
        position: newest.0,
        project: project_of(project),
        run: run.map(|run| run.id.to_string()),
        at,
        of,
        at_position: at_position.0,
        time: event.as_ref().map(|event| event.event.at.to_string()).unwrap_or_default(),
        digest: digest(&tasks),
        ghosts: ghosts(reader, project, &tasks)?,
        tasks,
        changed: event.as_ref().and_then(changed),
        event: event.as_ref().map(|event| event_line(reader, event)).transpose()?,
        plan: facts.as_ref().and_then(super::run::plan),
        rejected: facts.map_or(0, |facts| facts.rejected),
    })
}

/// The cards of a folded board, as the live view has them.
pub(crate) fn cards(reader: &Reader<'_>, board: &Board) -> Result<Vec<Card>, StoreError> {
    let mut names: HashMap<RunId, Actor> = HashMap::new();
    let mut actor = |run: RunId| -> Result<Actor, StoreError> {
        if let Some(known) = names.get(&run) {
            return Ok(known.clone());
        }
        let found = match reader.run_get(run)? {
            Some(row) => actor_of(&ActorRow { kind: row.actor, name: row.name }),
            None => Actor { kind: ActorKind::Agent, name: String::new() },
        };
        names.insert(run, found.clone());
        Ok(found)
    };
    let live = |no: &TaskNo| board.tasks.get(no).is_some_and(|task| !task.deleted);
    let mut cards = Vec::with_capacity(board.tasks.len());
    for task in board.tasks.values().filter(|task| !task.deleted) {
        cards.push(Card {
            id: task.no.0,
            version: task.version.0,
            status: status_of(task.status),
            subject: task.subject.to_string(),
            // As on the live board, a deleted task blocks nothing.
            blocked_by: task.blocked_by.iter().filter(|no| live(no)).map(|no| no.0).collect(),
            held_by: task.holder.map(&mut actor).transpose()?,
            rejected: task.rejected,
            outcome: task.outcomes.worst().map(outcome_of),
            changed_at: task.changed.at.to_string(),
            changed_by: actor(task.changed.run)?,
        });
    }
    Ok(cards)
}

/// SHA-256 over the cards in order of number, each as one line of JSON.
pub(crate) fn digest(cards: &[Card]) -> String {
    let mut hash = Sha256::new();
    let mut line = Vec::new();
    for card in cards {
        line.clear();
        // Writing to memory cannot fail, and a card has no key that is not text.
        let _ = serde_json::to_writer(&mut line, card);
        line.push(b'\n');
        hash.update(&line);
    }
    domain::ledger::Hash(hash.finalize().into()).hex()
}

fn ghosts(reader: &Reader<'_>, project: &ProjectRow, then: &[Card]) -> Result<Vec<Ghost>, StoreError> {
    let there: std::collections::HashSet<u32> = then.iter().map(|card| card.id).collect();
    let mut ghosts = Vec::new();
    reader.task_names(project, |no, status, subject| {
        if !there.contains(&no.0) {
            ghosts.push(Ghost { id: no.0, subject: subject.to_owned(), status: status_of(status) });
        }
    })?;
    Ok(ghosts)
}

fn changed(row: &EventRow) -> Option<Changed> {
    let payload = row.payload.as_ref()?;
    let changes = match payload {
        Payload::TaskUpdated(updated) => field_changes(&updated.changes),
        Payload::TaskCreated(_)
        | Payload::TaskDeleted(_)
        | Payload::TaskRestored(_)
        | Payload::CallRejected(_) => vec![],
        _ => return None,
    };
    Some(Changed { task: payload.task()?.0, kind: row.event.kind.clone(), changes })
}
