//! A call that reached the boundary and was refused: what was sent (masked and cut), what the
//! caller was told, and the task it aimed at.

use crate::TaskNo;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// SHA-256 of the masked arguments before they were cut.
    pub digest: String,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub stripped: Vec<String>,
    /// Equal refusals before this one that were answered but not written down, in a flood.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub suppressed: u64,
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
    pub stripped: Vec<String>,
    pub suppressed: u64,
}

/// The longest excerpt of arguments that an event keeps, in characters.
const EXCERPT_CHARS_MAX: usize = 4_000;

impl CallRejected {
    #[must_use]
    pub fn new(refused: Refused) -> Self {
        let Refused { tool, code, told, task, arguments, stripped, suppressed } = refused;
        let bytes = arguments.len() as u64;
        let masked = crate::mask::mask(&arguments);
        let digest = crate::ledger::sha256_hex(masked.as_bytes());
        let arguments = masked.chars().take(EXCERPT_CHARS_MAX).collect();
        let told = crate::mask::mask(&told).chars().take(EXCERPT_CHARS_MAX).collect();
        CallRejected { v: 1, tool, code, told, task, arguments, bytes, digest, stripped, suppressed }
    }
}
