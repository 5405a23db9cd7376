//! The agent ran one of its own tools.

use super::Layout;
use super::line::{Fact, Lane, Line, State};
use crate::Body;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCalled {
    #[serde(default)]
    pub v: Layout,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<String>,
    pub tool: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub arguments: Option<Body>,
}

impl Fact for ToolCalled {
    fn line(&self) -> Line<'_> {
        let text = self.arguments.as_ref().map(Body::shown).unwrap_or_default();
        Line::new(Lane::Tools, State::Plain).tool(&self.tool).text(text)
    }

    fn bodies(&self) -> Vec<(&'static str, &Body)> {
        self.arguments.iter().map(|body| ("arguments", body)).collect()
    }
}
