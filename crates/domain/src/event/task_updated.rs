//! A task got a new version: the field diff and the call that made it.

use super::Cause;
use super::line::{Fact, Lane, Line, State};
use crate::task::Changes;
use crate::{TaskNo, Version};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskUpdated {
    v: u8,
    pub task: TaskNo,
    /// The version that this change made.
    pub version: Version,
    pub changes: Changes,
    pub call: Cause,
}

impl TaskUpdated {
    #[must_use]
    pub fn new(task: TaskNo, version: Version, changes: Changes, call: Cause) -> Self {
        TaskUpdated { v: 1, task, version, changes, call }
    }
}

impl Fact for TaskUpdated {
    fn line(&self) -> Line<'_> {
        let line = Line::new(Lane::Board, State::Ok).tool(&self.call.tool).task(self.task, self.version);
        match (&self.changes.status, &self.changes.subject) {
            (Some(status), _) => line.text(format!("{} → {}", status.before, status.after)),
            (None, Some(subject)) => line.text(subject.after.as_str()),
            (None, None) => line,
        }
    }
}
