//! A task came to be.

use super::Cause;
use super::line::{Fact, Lane, Line, State};
use crate::{Description, Status, Subject, TaskId, TaskNo, Version};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskCreated {
    v: u8,
    pub task: TaskNo,
    pub id: TaskId,
    pub version: Version,
    pub status: Status,
    pub subject: Subject,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<Description>,
    pub blocked_by: Vec<TaskNo>,
    pub call: Cause,
}

impl TaskCreated {
    #[must_use]
    pub fn new(
        task: TaskNo,
        id: TaskId,
        subject: Subject,
        description: Option<Description>,
        blocked_by: Vec<TaskNo>,
        call: Cause,
    ) -> Self {
        TaskCreated {
            v: 1,
            task,
            id,
            version: Version(1),
            status: Status::Pending,
            subject,
            description,
            blocked_by,
            call,
        }
    }
}

impl Fact for TaskCreated {
    fn line(&self) -> Line<'_> {
        Line::new(Lane::Board, State::Ok)
            .tool(&self.call.tool)
            .task(self.task, self.version)
            .text(self.subject.as_str())
    }
}
