//! What a check of a ledger found.

use super::{Hash, Unreadable};
use std::collections::BTreeMap;

/// What can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    Unreadable,
    /// The last line has no end: the writing of it was cut off.
    Truncated,
    /// A NUL byte, or bytes that are no UTF-8.
    Encoding,
    Gap,
    Repeat,
    Reorder,
    ForeignRun,
    Altered,
    /// It does not name the event before it.
    Unlinked,
    /// A checkpoint vouches for events that are not there.
    CutTail,
    /// It is sound in itself, but not what a checkpoint vouches for.
    Swapped,
    /// A checkpoint's signature is not right.
    Checkpoint,
    /// Some lines have a chain and some have none.
    Mixed,
    /// There is no event at all.
    Empty,
}

impl Fault {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Fault::Unreadable => "unreadable",
            Fault::Truncated => "truncated",
            Fault::Encoding => "encoding",
            Fault::Gap => "gap",
            Fault::Repeat => "repeat",
            Fault::Reorder => "reorder",
            Fault::ForeignRun => "foreign_run",
            Fault::Altered => "altered",
            Fault::Unlinked => "unlinked",
            Fault::CutTail => "cut_tail",
            Fault::Swapped => "swapped",
            Fault::Checkpoint => "checkpoint",
            Fault::Mixed => "mixed",
            Fault::Empty => "empty",
        }
    }
}

impl From<&Unreadable> for Fault {
    fn from(why: &Unreadable) -> Fault {
        match why {
            Unreadable::Nul | Unreadable::Utf8 => Fault::Encoding,
            Unreadable::Json(_) | Unreadable::Member(_) | Unreadable::TooLong => Fault::Unreadable,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub seq: Option<u64>,
    /// The line of the file, from 1.
    pub line: Option<u64>,
    pub fault: Fault,
    pub text: String,
    /// Altered, unlinked and swapped: the hash that should be there, and the one that is.
    pub expected: Option<String>,
    pub found: Option<String>,
}

impl Problem {
    pub(super) fn new(fault: Fault, seq: Option<u64>, line: Option<u64>, text: String) -> Problem {
        Problem { seq, line, fault, text, expected: None, found: None }
    }

    pub(super) fn hashes(self, expected: Hash, found: Hash) -> Problem {
        Problem { expected: Some(expected.hex()), found: Some(found.hex()), ..self }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub ok: bool,
    /// Events that could be read.
    pub events: u64,
    /// The events have a hash chain.
    pub chained: bool,
    pub first_bad_seq: Option<u64>,
    pub problems: Vec<Problem>,
    /// Problems beyond those listed.
    pub more_problems: u64,
    /// Up to this seq a signed checkpoint vouches for the record.
    pub covered_to: u64,
    /// Kinds, or layouts of them, that this program does not know: kept, and counted.
    pub unknown: BTreeMap<String, u64>,
    /// The last event that was read in order.
    pub last_seq: u64,
    /// The hash that was written with it.
    pub last_hash: Option<Hash>,
    /// What could not be covered, in words.
    pub uncovered: Option<String>,
}
