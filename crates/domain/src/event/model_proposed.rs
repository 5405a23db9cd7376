//! The model asked for a tool. Whether it was run is another event.

use super::line::{Fact, Lane, Line, State};
use super::{Layout, Usage};
use crate::Body;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelProposed {
    #[serde(default)]
    pub v: Layout,
    /// Ties proposal, call and result together.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<String>,
    pub tool: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub arguments: Option<Body>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub usage: Option<Usage>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration_ms: Option<u64>,
}

impl Fact for ModelProposed {
    fn line(&self) -> Line<'_> {
        let text = self.arguments.as_ref().map(Body::shown).unwrap_or_default();
        Line::new(Lane::Model, State::Plain).tool(&self.tool).took(self.duration_ms).text(text)
    }

    fn bodies(&self) -> Vec<(&'static str, &Body)> {
        self.arguments.iter().map(|body| ("arguments", body)).collect()
    }
}
