//! Deleted tasks of a project: hidden from the board, restorable by a person.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::board::Card;

#[derive(Debug, Clone, Default, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[ts(optional_fields)]
pub struct TrashParams {
    pub project: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Trash {
    #[ts(type = "number")]
    pub position: u64,
    pub tasks: Vec<Card>,
}
