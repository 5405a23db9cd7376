//! A question that an agent asked this board was answered: what it asked, and which versions it
//! saw. A call that turns out to be stale can be traced to the read it rested on.

use super::Layout;
use super::line::{Fact, Lane, Line, State};
use crate::{Body, Position, TaskNo, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallAnswered {
    #[serde(default)]
    pub v: Layout,
    pub tool: String,
    pub arguments: Body,
    /// The version of every task that the answer showed.
    pub seen: BTreeMap<TaskNo, Version>,
    /// The store's position that the answer reflects.
    pub position: Position,
    /// SHA-256 of the answer's text.
    pub digest: String,
    /// The length of the answer's text.
    pub bytes: u64,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub stripped: Vec<String>,
}

impl CallAnswered {
    /// The task that was asked for, when it was one.
    #[must_use]
    pub fn aim(&self) -> Option<TaskNo> {
        self.seen.keys().next().copied().filter(|_| self.seen.len() == 1)
    }
}

impl Fact for CallAnswered {
    fn line(&self) -> Line<'_> {
        let line = Line::new(Lane::Board, State::Ok).tool(&self.tool).text(self.arguments.shown());
        match self.aim().and_then(|task| Some((task, *self.seen.get(&task)?))) {
            Some((task, version)) => line.task(task, version),
            None => line,
        }
    }

    fn bodies(&self) -> Vec<(&'static str, &Body)> {
        vec![("arguments", &self.arguments)]
    }
}
