//! The board: every live task of a project as a card, and the strip of what just happened.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Default, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[ts(optional_fields)]
pub struct BoardParams {
    pub project: Option<String>,
    /// Send only what changed after this position. Absent: everything.
    #[ts(type = "number", optional)]
    pub since: Option<u64>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Board {
    /// `null` while the store has no project yet.
    pub project: Option<Project>,
    pub projects: Vec<Project>,
    /// The store position this answer reflects; send it back as `since`.
    #[ts(type = "number")]
    pub position: u64,
    /// True: `tasks` is the whole board. False: only what changed after `since`.
    pub full: bool,
    pub tasks: Vec<Card>,
    /// Ids that left the board after `since`.
    pub removed: Vec<u32>,
    /// Newest last; at most 60.
    pub strip: Vec<StripItem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    pub id: String,
    pub name: String,
    /// The folder, when the project has one.
    pub path: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    Pending,
    InProgress,
    Blocked,
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    Agent,
    Person,
    Host,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Actor {
    pub kind: ActorKind,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Card {
    pub id: u32,
    pub version: u32,
    pub status: TaskStatus,
    pub subject: String,
    pub blocked_by: Vec<u32>,
    /// Who holds a task that is in progress.
    pub held_by: Option<Actor>,
    /// Refused calls that aimed at this task.
    pub rejected: u32,
    /// The worst of their outcomes: loop, gave_up, open, repaired, expected in this order; `null` without any.
    pub outcome: Option<super::rejected::Outcome>,
    /// RFC 3339, milliseconds, UTC.
    pub changed_at: String,
    pub changed_by: Actor,
}

/// One line of the live strip. The UI words it from its own catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StripItem {
    #[ts(type = "number")]
    pub position: u64,
    pub run: String,
    #[ts(type = "number")]
    pub seq: u64,
    /// An event kind of the ledger: task_created, task_updated, task_deleted, task_restored,
    /// call_rejected, run_started, run_ended, run_resumed.
    pub kind: String,
    pub at: String,
    pub actor: Actor,
    /// The call came without any run identity.
    pub unattributed: bool,
    pub task: Option<u32>,
    pub subject: Option<String>,
    /// task_updated: what changed.
    pub changes: Vec<FieldChange>,
    /// call_rejected: how it came out so far.
    pub outcome: Option<super::rejected::Outcome>,
    /// call_rejected: tool, code and the sentence the agent was told. run_ended: reason in `text`.
    pub tool: Option<String>,
    pub code: Option<String>,
    pub text: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    /// status, subject, description or blockedBy.
    pub field: String,
    #[ts(type = "string | number[] | null")]
    pub before: serde_json::Value,
    #[ts(type = "string | number[] | null")]
    pub after: serde_json::Value,
}

use super::{actor_of, card_of, in_project, project_of};
use crate::Refusal;
use crate::host::Host;
use domain::event::Payload;
use domain::task::Changes;
use domain::{Position, Source, TaskNo};
use serde_json::json;
use store::table::event::EventRow;
use store::table::project::ProjectRow;
use store::{Reader, StoreError};

/// The strip shows at most this many lines.
const STRIP_MAX: u32 = 60;

pub(crate) fn load(host: &Host, params: &BoardParams) -> Result<Board, Refusal> {
    in_project(host, params.project.as_deref(), |reader, project| {
        let position = reader.position()?;
        let projects = reader.project_list()?.iter().map(project_of).collect();
        let mut board = Board {
            project: None,
            projects,
            position: position.0,
            full: true,
            tasks: vec![],
            removed: vec![],
            strip: vec![],
        };
        let Some(project) = project else { return Ok(board) };
        board.project = Some(project_of(&project));
        // A position that this store has not reached belongs to another store: send everything.
        let since = params.since.filter(|&since| since <= position.0);
        board.full = since.is_none();
        match since {
            None => board.tasks = reader.task_cards(&project)?.iter().map(card_of).collect(),
            Some(since) => {
                for card in reader.task_cards_since(&project, Position(since))? {
                    if card.deleted {
                        board.removed.push(card.no.0);
                    } else {
                        board.tasks.push(card_of(&card));
                    }
                }
            }
        }
        let events = reader.event_strip(&project, Position(since.unwrap_or(0)), STRIP_MAX)?;
        board.strip =
            events.iter().map(|event| strip_item(reader, &project, event)).collect::<Result<_, _>>()?;
        Ok(board)
    })
}

fn strip_item(reader: &Reader<'_>, project: &ProjectRow, row: &EventRow) -> Result<StripItem, StoreError> {
    let mut item = StripItem {
        position: row.position.0,
        run: row.event.run.to_string(),
        seq: row.event.seq.0,
        kind: row.event.kind.clone(),
        at: row.event.at.to_string(),
        actor: actor_of(&row.actor),
        unattributed: row.source == Source::Unattributed,
        task: None,
        subject: None,
        changes: vec![],
        outcome: None,
        tool: None,
        code: None,
        text: None,
    };
    let task: Option<TaskNo> = match &row.payload {
        Some(Payload::TaskCreated(event)) => Some(event.task),
        Some(Payload::TaskUpdated(event)) => {
            item.changes = field_changes(&event.changes);
            Some(event.task)
        }
        Some(Payload::TaskDeleted(event)) => Some(event.task),
        Some(Payload::TaskRestored(event)) => Some(event.task),
        Some(Payload::CallRejected(event)) => {
            let chain = reader.chain_of(row.event.run, row.event.seq)?;
            item.outcome = chain.map(|chain| super::outcome_of(chain.outcome));
            item.tool = Some(event.tool.clone());
            item.code = Some(event.code.clone());
            item.text = Some(event.told.clone());
            event.task
        }
        Some(Payload::RunEnded(event)) => {
            item.text = Some(event.reason.to_string());
            None
        }
        _ => None,
    };
    if let Some(no) = task {
        item.task = Some(no.0);
        item.subject = reader.task_subject(project, no)?;
    }
    Ok(item)
}

/// The diff of one version, a field at a time.
pub(super) fn field_changes(changes: &Changes) -> Vec<FieldChange> {
    let change = |field: &str, before, after| FieldChange { field: field.into(), before, after };
    let mut out = Vec::new();
    if let Some(c) = &changes.status {
        out.push(change("status", json!(c.before), json!(c.after)));
    }
    if let Some(c) = &changes.subject {
        out.push(change("subject", json!(c.before), json!(c.after)));
    }
    if let Some(c) = &changes.description {
        out.push(change("description", json!(c.before), json!(c.after)));
    }
    if let Some(c) = &changes.blocked_by {
        out.push(change("blockedBy", json!(c.before), json!(c.after)));
    }
    out
}
