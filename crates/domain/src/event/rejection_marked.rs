//! A person said of a refused call that it is as it should be, or took that back.

use super::line::{Fact, Lane, Line, State};
use super::{Cause, Layout};
use crate::{RunId, Seq, TaskNo};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectionMarked {
    #[serde(default)]
    pub v: Layout,
    /// The run whose call it was.
    pub run: RunId,
    /// The first refusal of the chain.
    pub seq: Seq,
    /// The task that the call aimed at.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub task: Option<TaskNo>,
    pub expected: bool,
    pub call: Cause,
}

impl Fact for RejectionMarked {
    fn line(&self) -> Line<'_> {
        let text = format!("{} #{}: {}", self.run, self.seq, if self.expected { "expected" } else { "open" });
        Line { task: self.task, ..Line::new(Lane::Board, State::Plain).tool(&self.call.tool).text(text) }
    }
}
