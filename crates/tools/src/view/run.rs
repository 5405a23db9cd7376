//! One run in full: its facts, its plan, the tasks it touched, the tools it called, its parent and
//! its sub-runs. With `at`, all of it as it was after that event.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::board::{Project, TaskStatus};
use super::runs::RunRow;

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct RunParams {
    pub run: String,
    /// The run as it was after this event (a seq of the run). Absent: as it is.
    #[ts(type = "number", optional)]
    pub at: Option<u64>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunDetail {
    #[ts(type = "number")]
    pub position: u64,
    pub run: RunRow,
    pub project: Project,
    /// Asked for with `at`: that seq.
    #[ts(type = "number | null")]
    pub at: Option<u64>,
    /// The store position of the last event counted here.
    #[ts(type = "number")]
    pub head_position: u64,
    pub parent: Option<RunLink>,
    /// Sub-runs, oldest first.
    pub children: Vec<RunLink>,
    /// `null`: the run never wrote one, or its last turn cleared it.
    pub plan: Option<Plan>,
    /// What the run changed or was refused on, in the order of its first touch.
    pub tasks: Vec<RunTask>,
    /// Most called first.
    pub tools: Vec<ToolUse>,
    /// Most frequent first.
    pub codes: Vec<CodeCount>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunLink {
    pub id: String,
    pub agent: String,
    pub status: String,
    pub started: String,
    pub ended: Option<String>,
    pub last_at: String,
    #[ts(type = "number")]
    pub events: u64,
    #[ts(type = "number")]
    pub rejected: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The event that wrote it.
    #[ts(type = "number")]
    pub seq: u64,
    pub items: Vec<PlanItem>,
    /// Items that an earlier list had and that left it unfinished, oldest first.
    pub dropped: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlanItem {
    pub content: String,
    /// pending, in_progress or completed.
    pub status: String,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunTask {
    pub id: u32,
    pub subject: String,
    /// As it is now, or was at `at`.
    pub status: TaskStatus,
    pub deleted: bool,
    /// How many versions this run wrote.
    pub changes: u32,
    /// How many of its calls aimed at the task were refused.
    pub refused: u32,
    #[ts(type = "number")]
    pub first_seq: u64,
    #[ts(type = "number")]
    pub last_seq: u64,
    pub last_version: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolUse {
    pub tool: String,
    #[ts(type = "number")]
    pub calls: u64,
    #[ts(type = "number")]
    pub refused: u64,
    #[ts(type = "number")]
    pub failed: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CodeCount {
    pub code: String,
    #[ts(type = "number")]
    pub calls: u64,
    #[ts(type = "number")]
    pub repaired: u64,
}
