//! The run wrote its whole plan anew.

use super::line::{Fact, Lane, Line, State};
use super::{Cause, Layout};
use crate::plan::{PlanItem, PlanStatus};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoWritten {
    #[serde(default)]
    pub v: Layout,
    /// The entire list.
    pub todos: Vec<PlanItem>,
    /// The call to this board, if it was one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<Cause>,
}

impl Fact for TodoWritten {
    fn line(&self) -> Line<'_> {
        let done = self.todos.iter().filter(|item| item.status == PlanStatus::Completed).count();
        Line::new(Lane::Plan, State::Plain).text(format!("{done}/{}", self.todos.len()))
    }
}
