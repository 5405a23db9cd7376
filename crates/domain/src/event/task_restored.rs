//! A person brought a deleted task back.

use super::Cause;
use super::line::{Fact, Lane, Line, State};
use crate::{TaskNo, Version};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRestored {
    v: u8,
    pub task: TaskNo,
    /// The version that this change made.
    pub version: Version,
    pub call: Cause,
}

impl TaskRestored {
    #[must_use]
    pub fn new(task: TaskNo, version: Version, call: Cause) -> Self {
        TaskRestored { v: 1, task, version, call }
    }
}

impl Fact for TaskRestored {
    fn line(&self) -> Line<'_> {
        Line::new(Lane::Board, State::Ok).tool(&self.call.tool).task(self.task, self.version)
    }
}
