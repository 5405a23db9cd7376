//! Every run of the store, newest first.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Default, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[ts(optional_fields)]
pub struct RunsParams {
    pub project: Option<String>,
    pub limit: Option<u32>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Runs {
    #[ts(type = "number")]
    pub position: u64,
    pub runs: Vec<RunRow>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    pub id: String,
    pub project: String,
    /// The agent's name, or the person's.
    pub agent: String,
    pub agent_version: Option<String>,
    /// agent, person or host.
    pub actor: super::board::ActorKind,
    /// running, completed, failed, interrupted, cancelled or budget_exhausted.
    pub status: String,
    /// bridge, session, meta, unattributed, window, browser or cli.
    pub source: String,
    #[ts(type = "number")]
    pub events: u64,
    #[ts(type = "number")]
    pub rejected: u64,
    pub started: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub ended: Option<String>,
    pub last_at: String,
}
