//! A run ended, and why.

use super::line::{Fact, Lane, Line, State};
use crate::EndReason;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnded {
    v: u8,
    pub reason: EndReason,
    /// Who or what ended it, when it was not the run itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

impl RunEnded {
    #[must_use]
    pub fn new(reason: EndReason) -> Self {
        RunEnded { v: 1, reason, note: None }
    }

    #[must_use]
    pub fn because(reason: EndReason, note: &str) -> Self {
        RunEnded { v: 1, reason, note: Some(note.to_owned()) }
    }
}

impl Fact for RunEnded {
    fn line(&self) -> Line<'_> {
        let state = match self.reason {
            EndReason::Completed => State::Ok,
            EndReason::Failed | EndReason::Interrupted | EndReason::BudgetExhausted => State::Failed,
            EndReason::Cancelled => State::Plain,
        };
        let line = Line::new(Lane::Run, state);
        match &self.note {
            Some(note) => line.text(format!("{}: {note}", self.reason)),
            None => line.text(self.reason.as_str()),
        }
    }
}
