//! The agent gave the word back, and why. Its plan stays.

use super::Layout;
use super::line::{Fact, Lane, Line, State};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEnded {
    pub v: Layout,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turn: Option<String>,
    /// As the agent says it: end_turn, max_tokens, aborted …
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration_ms: Option<u64>,
}

impl Fact for TurnEnded {
    fn line(&self) -> Line<'_> {
        Line::new(Lane::Run, State::Plain)
            .took(self.duration_ms)
            .text(self.reason.as_deref().unwrap_or_default())
    }
}
