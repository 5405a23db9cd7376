//! A tool of the agent failed, timed out or never came back.

use super::Layout;
use super::line::{Fact, Lane, Line, State};
use crate::Body;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFailed {
    #[serde(default)]
    pub v: Layout,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<String>,
    pub tool: String,
    pub error: Body,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration_ms: Option<u64>,
}

impl Fact for ToolFailed {
    fn line(&self) -> Line<'_> {
        Line::new(Lane::Tools, State::Failed).tool(&self.tool).took(self.duration_ms).text(self.error.shown())
    }

    fn bodies(&self) -> Vec<(&'static str, &Body)> {
        vec![("error", &self.error)]
    }
}
