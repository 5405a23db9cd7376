//! A line of the agent's own in its run's ledger, or what a source told that has no kind of its own.

use super::line::{Fact, Lane, Line, State};
use super::{Cause, Layout, Usage};
use crate::Body;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    #[serde(default)]
    pub v: Layout,
    /// What the source calls a record that is kept as it came.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub topic: Option<String>,
    pub text: Body,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub data: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<Cause>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub usage: Option<Usage>,
}

impl Fact for Note {
    fn line(&self) -> Line<'_> {
        let line = Line::new(Lane::Plan, State::Plain).text(self.text.shown());
        match &self.topic {
            Some(topic) => line.tool(topic),
            None => line,
        }
    }

    fn bodies(&self) -> Vec<(&'static str, &Body)> {
        vec![("text", &self.text)]
    }
}
