//! One task in full: fields, versions with who did what, and the calls that were refused.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::board::{Actor, FieldChange, TaskStatus};

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct TaskParams {
    pub project: Option<String>,
    pub id: u32,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TaskDetail {
    pub project: String,
    #[ts(type = "number")]
    pub position: u64,
    pub id: u32,
    pub version: u32,
    pub status: TaskStatus,
    pub subject: String,
    pub description: Option<String>,
    pub blocked_by: Vec<Link>,
    pub blocks: Vec<Link>,
    pub held_by: Option<Actor>,
    pub deleted: bool,
    pub created_at: String,
    pub created_by: Actor,
    pub changed_at: String,
    pub changed_by: Actor,
    /// Newest first.
    pub versions: Vec<TaskVersion>,
    /// Newest first; at most 100.
    pub rejected: Vec<Rejection>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    pub id: u32,
    pub status: TaskStatus,
    pub subject: String,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TaskVersion {
    pub version: u32,
    pub at: String,
    pub actor: Actor,
    pub run: String,
    #[ts(type = "number")]
    pub seq: u64,
    #[ts(type = "number")]
    pub position: u64,
    /// task_created, task_updated, task_deleted or task_restored.
    pub kind: String,
    pub changes: Vec<FieldChange>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Rejection {
    #[ts(type = "number")]
    pub position: u64,
    pub run: String,
    #[ts(type = "number")]
    pub seq: u64,
    pub at: String,
    pub actor: Actor,
    pub tool: String,
    pub code: String,
    /// The text the agent was told, whole.
    pub text: String,
    /// The arguments as sent, masked and cut.
    pub arguments: String,
}
