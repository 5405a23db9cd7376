//! A tool of the agent gave its result.

use super::Layout;
use super::line::{Fact, Lane, Line, State};
use crate::Body;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolReturned {
    #[serde(default)]
    pub v: Layout,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<String>,
    pub tool: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub result: Option<Body>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration_ms: Option<u64>,
}

impl Fact for ToolReturned {
    fn line(&self) -> Line<'_> {
        let text = self.result.as_ref().map(Body::shown).unwrap_or_default();
        Line::new(Lane::Tools, State::Ok).tool(&self.tool).took(self.duration_ms).text(text)
    }

    fn bodies(&self) -> Vec<(&'static str, &Body)> {
        self.result.iter().map(|body| ("result", body)).collect()
    }
}
