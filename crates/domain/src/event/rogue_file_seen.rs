//! A file that looks like kept progress appeared beside the board. It has no effect.

use super::Layout;
use super::line::{Fact, Lane, Line, State};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RogueFileSeen {
    #[serde(default)]
    pub v: Layout,
    /// Inside the project's folder.
    pub path: String,
    pub bytes: u64,
    /// SHA-256 of its content, when it was small enough to read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub digest: Option<String>,
}

impl Fact for RogueFileSeen {
    fn line(&self) -> Line<'_> {
        Line::new(Lane::Files, State::Rogue).text(self.path.as_str())
    }
}
