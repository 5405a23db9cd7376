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

use super::{card_of, in_project};
use crate::Refusal;
use crate::host::Host;

pub(crate) fn load(host: &Host, params: &TrashParams) -> Result<Trash, Refusal> {
    in_project(host, params.project.as_deref(), |reader, project| {
        let tasks = match project {
            Some(project) => reader.task_tombstones(&project)?.iter().map(card_of).collect(),
            None => vec![],
        };
        Ok(Trash { position: reader.position()?.0, tasks })
    })
}
