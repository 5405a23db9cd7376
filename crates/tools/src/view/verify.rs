//! Is the record the one that was written? Asking starts the check of a run; the answer says how
//! far it is, and the feed tells when there is more.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct VerifyParams {
    pub run: String,
    /// `start` checks anew, `stop` ends a check under way, `look` (the default) starts one only when
    /// there is none for the run as it stands.
    pub ask: Option<VerifyAsk>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VerifyAsk {
    #[default]
    Look,
    Start,
    Stop,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Verify {
    pub run: String,
    pub state: VerifyState,
    /// Events checked so far, of how many.
    #[ts(type = "number")]
    pub done: u64,
    #[ts(type = "number")]
    pub of: u64,
    /// How long it will take yet, while running.
    #[ts(type = "number | null")]
    pub left_ms: Option<u64>,
    pub report: Option<VerifyReport>,
    /// Signed marks, oldest first; the newest 500.
    pub checkpoints: Vec<CheckpointRow>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VerifyState {
    Running,
    Sound,
    Broken,
    Stopped,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct VerifyReport {
    pub ok: bool,
    #[ts(type = "number")]
    pub events: u64,
    #[ts(type = "number | null")]
    pub first_bad_seq: Option<u64>,
    pub problems: Vec<Problem>,
    /// Up to this seq a signed checkpoint vouches for the record; 0: none does.
    #[ts(type = "number")]
    pub covered_to: u64,
    /// Kinds of a later program: kept, and counted.
    pub unknown: Vec<KindCount>,
    pub checked_at: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KindCount {
    pub kind: String,
    #[ts(type = "number")]
    pub events: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    #[ts(type = "number | null")]
    pub seq: Option<u64>,
    /// altered, gap, repeat, reorder, foreign_run, unreadable, cut_tail, swapped, checkpoint.
    pub kind: String,
    pub text: String,
    /// Altered: the hash that was written, and what the bytes hash to.
    pub expected: Option<String>,
    pub found: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointRow {
    #[ts(type = "number")]
    pub seq: u64,
    pub at: String,
    /// Both copies are there and say the same.
    pub in_store: bool,
    pub outside: bool,
    /// The signature is by this store's key.
    pub signed: bool,
}

/// The mark in lists: what the last check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct VerifyMark {
    pub state: VerifyState,
    /// Checked up to this seq; newer events were not.
    #[ts(type = "number")]
    pub to: u64,
    #[ts(type = "number | null")]
    pub first_bad_seq: Option<u64>,
}
