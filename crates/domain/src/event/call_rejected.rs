//! A call that reached the boundary and was refused: what was sent (masked and cut), what the
//! caller was told, and the task it aimed at.

use super::line::{Fact, Lane, Line, State};
use crate::TaskNo;
use crate::body::Keep;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CallRejected {
    v: u8,
    pub tool: String,
    pub code: String,
    /// The whole text the caller was told.
    pub told: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub task: Option<TaskNo>,
    /// The arguments as JSON text: secrets masked, cut to 4,000 characters.
    pub arguments: String,
    /// How long the arguments were, in bytes, before they were masked and cut.
    pub bytes: u64,
    /// SHA-256 of the masked arguments before they were cut: the whole is kept under it when it is longer.
    pub digest: String,
    /// Where in the arguments something was wrong, as `patch.status`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub paths: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub stripped: Vec<String>,
    /// Equal refusals before this one that were answered but not written down, in a flood.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub suppressed: u64,
    /// The whole arguments, until they are stored.
    #[serde(skip)]
    whole: Option<Arc<str>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference to skip_serializing_if")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The facts of a refusal that the ledger keeps.
#[derive(Debug, Clone, Default)]
pub struct Refused {
    pub tool: String,
    pub code: String,
    pub told: String,
    pub task: Option<TaskNo>,
    pub arguments: String,
    pub paths: Vec<String>,
    pub stripped: Vec<String>,
    pub suppressed: u64,
}

/// The longest excerpt of arguments that an event keeps, in characters.
const EXCERPT_CHARS_MAX: usize = 4_000;

impl CallRejected {
    #[must_use]
    pub fn new(refused: Refused) -> Self {
        let Refused { tool, code, told, task, arguments, paths, stripped, suppressed } = refused;
        let bytes = arguments.len() as u64;
        let masked = crate::mask::mask(&arguments);
        let digest = crate::ledger::sha256_hex(masked.as_bytes());
        let arguments: String = masked.chars().take(EXCERPT_CHARS_MAX).collect();
        let whole = (arguments.len() < masked.len()).then(|| masked.into());
        let told = crate::mask::mask(&told).chars().take(EXCERPT_CHARS_MAX).collect();
        CallRejected {
            v: 1,
            tool,
            code,
            told,
            task,
            arguments,
            bytes,
            digest,
            paths,
            stripped,
            suppressed,
            whole,
        }
    }

    /// The arguments are longer than what the event keeps of them.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.arguments.chars().count() >= EXCERPT_CHARS_MAX
    }

    /// The whole arguments, to be stored beside the event when it does not hold them.
    #[must_use]
    pub fn keep(&self) -> Option<Keep<'_>> {
        self.whole.as_deref().map(|text| Keep { digest: &self.digest, text })
    }
}

impl Fact for CallRejected {
    fn line(&self) -> Line<'_> {
        let said = self.told.lines().next().unwrap_or_default();
        Line { task: self.task, ..Line::new(Lane::Board, State::Rejected).tool(&self.tool).text(said) }
    }
}

/// Two are equal when the ledger says the same of both.
impl PartialEq for CallRejected {
    fn eq(&self, other: &CallRejected) -> bool {
        let facts = |one: &CallRejected| serde_json::to_string(one).unwrap_or_default();
        facts(self) == facts(other)
    }
}

impl Eq for CallRejected {}
