//! Something was said: by the person, by the model, or put in by the system.

use super::line::{Fact, Lane, Line, State};
use super::{Layout, Usage};
use crate::Body;
use crate::run::words;
use serde::{Deserialize, Serialize};

words!(
    /// Who speaks.
    Role { User = "user", Assistant = "assistant", System = "system" }
);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    #[serde(default)]
    pub v: Layout,
    pub role: Role,
    pub text: Body,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub usage: Option<Usage>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration_ms: Option<u64>,
    /// The model thought it and did not say it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub thought: bool,
}

impl Message {
    #[must_use]
    pub fn new(role: Role, text: Body) -> Message {
        Message {
            v: Layout::default(),
            role,
            text,
            model: None,
            usage: None,
            duration_ms: None,
            thought: false,
        }
    }
}

impl Fact for Message {
    fn line(&self) -> Line<'_> {
        Line::new(Lane::Model, State::Plain).took(self.duration_ms).text(self.text.shown())
    }

    fn bodies(&self) -> Vec<(&'static str, &Body)> {
        vec![("text", &self.text)]
    }
}
