//! The agent was given the word. A plan of the turn before is over.

use super::Layout;
use super::line::{Fact, Lane, Line, State};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnStarted {
    pub v: Layout,
    /// The turn's own name, where the agent gives one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turn: Option<String>,
}

impl Fact for TurnStarted {
    fn line(&self) -> Line<'_> {
        Line::new(Lane::Run, State::Plain).text(self.turn.as_deref().unwrap_or_default())
    }
}
