//! A run that was taken for dead called again: it goes on in the same ledger.

use super::Layout;
use super::line::{Fact, Lane, Line, State};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunResumed {
    pub v: Layout,
}

impl Fact for RunResumed {
    fn line(&self) -> Line<'_> {
        Line::new(Lane::Run, State::Plain)
    }
}
