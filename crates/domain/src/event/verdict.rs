//! What a referee program found about the run's result.

use super::Layout;
use super::line::{Fact, Lane, Line, State};
use crate::Body;
use crate::run::words;
use serde::{Deserialize, Serialize};

words!(
    /// What was found.
    Finding { Passed = "passed", Failed = "failed", Inconclusive = "inconclusive" }
);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    #[serde(default)]
    pub v: Layout,
    /// The referee.
    pub by: String,
    pub finding: Finding,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub text: Option<Body>,
}

impl Fact for Verdict {
    fn line(&self) -> Line<'_> {
        let state = match self.finding {
            Finding::Passed => State::Ok,
            Finding::Failed => State::Failed,
            Finding::Inconclusive => State::Plain,
        };
        let text = self.text.as_ref().map_or(self.finding.as_str(), Body::shown);
        Line::new(Lane::Run, state).tool(&self.by).text(text)
    }

    fn bodies(&self) -> Vec<(&'static str, &Body)> {
        self.text.iter().map(|body| ("text", body)).collect()
    }
}
