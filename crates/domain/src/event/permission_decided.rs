//! What was decided about something the agent wanted to do, and by whom.

use super::Layout;
use super::line::{Fact, Lane, Line, State};
use crate::run::words;
use serde::{Deserialize, Serialize};

words!(
    /// May it?
    Decision { Allowed = "allowed", Denied = "denied" }
);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionDecided {
    #[serde(default)]
    pub v: Layout,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<String>,
    pub tool: String,
    pub decision: Decision,
    /// A person, a rule, a hook: as the source says it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration_ms: Option<u64>,
}

impl Fact for PermissionDecided {
    fn line(&self) -> Line<'_> {
        let state = match self.decision {
            Decision::Allowed => State::Ok,
            Decision::Denied => State::Failed,
        };
        Line::new(Lane::Tools, state)
            .tool(&self.tool)
            .took(self.duration_ms)
            .text(self.reason.as_deref().unwrap_or(self.decision.as_str()))
    }
}
