//! Refused calls as chains: what was tried, what the agent was told, and how it came out.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::board::Actor;

#[derive(Debug, Clone, Default, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[ts(optional_fields)]
pub struct RejectedParams {
    pub project: Option<String>,
    /// Only those of this run.
    pub run: Option<String>,
    /// Only those that aimed at this task.
    pub task: Option<u32>,
    /// With `run`: as it was after this seq.
    #[ts(type = "number", optional)]
    pub at: Option<u64>,
    /// At most this many chains, newest first. Default 500, at most 2,000.
    pub limit: Option<u32>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Rejected {
    #[ts(type = "number")]
    pub position: u64,
    /// Refused calls in all, with those a flood left unwritten.
    #[ts(type = "number")]
    pub calls: u64,
    pub counts: OutcomeCounts,
    /// From the first refusal to the repair.
    #[ts(type = "number | null")]
    pub median_repair_ms: Option<u64>,
    /// Newest first.
    pub chains: Vec<Chain>,
    /// There are more than were sent.
    pub more: bool,
}

/// Chains by how they came out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeCounts {
    pub open: u32,
    pub repaired: u32,
    pub gave_up: u32,
    #[serde(rename = "loop")]
    pub looped: u32,
    pub expected: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Not repaired yet, and the run goes on.
    Open,
    /// The same run's same call was accepted later.
    Repaired,
    /// The run ended, or went on to other things, without repairing it.
    GaveUp,
    /// The very same call was refused three times or more.
    Loop,
    /// A person said that this refusal is as it should be.
    Expected,
}

/// Tries of one call: refused ones, and the accepted one that ended them.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Chain {
    pub run: String,
    /// The first refusal; it names the chain.
    #[ts(type = "number")]
    pub seq: u64,
    pub actor: Actor,
    pub tool: String,
    /// Of the first refusal.
    pub code: String,
    pub task: Option<u32>,
    pub subject: Option<String>,
    pub outcome: Outcome,
    /// Oldest first; at most 50 refused ones.
    pub tries: Vec<Try>,
    #[ts(type = "number | null")]
    pub repaired_by: Option<u64>,
    #[ts(type = "number | null")]
    pub repair_ms: Option<u64>,
    pub first_at: String,
    pub last_at: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Try {
    #[ts(type = "number")]
    pub seq: u64,
    pub at: String,
    /// `null`: accepted.
    pub code: Option<String>,
    /// Where the arguments were wrong, as `patch.status`; empty when the whole call was.
    pub paths: Vec<String>,
}

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct RejectionParams {
    pub run: String,
    /// Any try of the chain.
    #[ts(type = "number")]
    pub seq: u64,
}

/// One chain with everything that was sent and said.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChainDetail {
    pub chain: Chain,
    pub tries: Vec<TryDetail>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TryDetail {
    #[ts(type = "number")]
    pub seq: u64,
    pub at: String,
    pub code: Option<String>,
    pub paths: Vec<String>,
    /// What the agent was told, word for word; empty for the accepted one.
    pub told: String,
    /// The arguments as JSON text: masked; of an accepted call, what its event shows.
    pub arguments: String,
    /// The arguments are longer than `arguments`; the rest is under this digest.
    pub digest: Option<String>,
    #[ts(type = "number")]
    pub bytes: u64,
    /// What differs from the try before, as JSON pointers with both values.
    pub diff: Vec<ArgumentChange>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ArgumentChange {
    /// As `patch.status`.
    pub path: String,
    /// Absent: it was not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(type = "unknown", optional)]
    pub before: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(type = "unknown", optional)]
    pub after: Option<serde_json::Value>,
}
