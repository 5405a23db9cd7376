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
    /// call_rejected, run_started, run_ended.
    pub kind: String,
    pub at: String,
    pub actor: Actor,
    /// The call came without any run identity.
    pub unattributed: bool,
    pub task: Option<u32>,
    pub subject: Option<String>,
    /// task_updated: what changed.
    pub changes: Vec<FieldChange>,
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
