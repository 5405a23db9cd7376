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
