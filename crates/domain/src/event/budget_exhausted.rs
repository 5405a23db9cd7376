//! A limit that was set for the run is used up.

use super::Layout;
use super::line::{Fact, Lane, Line, State};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetExhausted {
    #[serde(default)]
    pub v: Layout,
    /// What was limited: tokens, turns, seconds, dollars …
    pub budget: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub used: Option<u64>,
}

impl Fact for BudgetExhausted {
    fn line(&self) -> Line<'_> {
        let line = Line::new(Lane::Run, State::Failed);
        match (self.used, self.limit) {
            (Some(used), Some(limit)) => line.text(format!("{}: {used}/{limit}", self.budget)),
            _ => line.text(self.budget.as_str()),
        }
    }
}
