//! The agent asked a person whether it may.

use super::Layout;
use super::line::{Fact, Lane, Line, State};
use crate::Body;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionAsked {
    #[serde(default)]
    pub v: Layout,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<String>,
    pub tool: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub question: Option<Body>,
}

impl Fact for PermissionAsked {
    fn line(&self) -> Line<'_> {
        let text = self.question.as_ref().map(Body::shown).unwrap_or_default();
        Line::new(Lane::Tools, State::Asked).tool(&self.tool).text(text)
    }

    fn bodies(&self) -> Vec<(&'static str, &Body)> {
        self.question.iter().map(|body| ("question", body)).collect()
    }
}
