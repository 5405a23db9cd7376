//! A line of the agent's own in its run's ledger.

use super::line::{Fact, Lane, Line, State};
use super::{Cause, Layout};
use crate::Body;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    #[serde(default)]
    pub v: Layout,
    pub text: Body,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub data: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<Cause>,
}

impl Fact for Note {
    fn line(&self) -> Line<'_> {
        Line::new(Lane::Plan, State::Plain).text(self.text.shown())
    }

    fn bodies(&self) -> Vec<(&'static str, &Body)> {
        vec![("text", &self.text)]
    }
}
