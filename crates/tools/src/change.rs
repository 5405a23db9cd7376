//! What a commit made stale. Shells push these to screens; screens refetch what they show.

use serde::Serialize;
use ts_rs::TS;

/// One message of the feed: the store stands at `position`, and these things changed.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    #[ts(type = "number")]
    pub position: u64,
    pub tags: Vec<Tag>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Tag {
    /// A task's fields, or its count of refused calls.
    Task { project: String, id: u32 },
    /// A run started, ended, or has a new event.
    Run { project: String, run: String },
    /// A project appeared or was renamed.
    Project { project: String },
    /// The check of a run's ledger went on, or ended.
    Verify { run: String },
    /// The store turned read-only, or back.
    Store,
}
