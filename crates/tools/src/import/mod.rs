//! Files from elsewhere, read into the store as runs that touch no board.
//!
//! `job` is the work as a whole: which files, how far, stop; `ledger` reads one file of the form
//! that this program writes itself, `transcript` one that an agent wrote.

mod job;
mod ledger;
mod transcript;

pub use job::{ImportJob, ImportParams, ImportState};
pub use ledger::lines;

pub(crate) use job::{Jobs, load};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// What became of one file. `lines` is `mapped`, and what was skipped, and `badLines`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct Account {
    pub file: String,
    /// `ledger`, `plain ledger`, the name of a transcript's format, or `unknown`.
    pub format: String,
    /// Why nothing of it could be read at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub why: Option<String>,
    pub runs: Vec<String>,
    #[ts(type = "number")]
    pub lines: u64,
    #[ts(type = "number")]
    pub mapped: u64,
    /// Lines that were passed over, by why.
    #[ts(type = "Record<string, number>")]
    pub skipped: BTreeMap<String, u64>,
    /// The first of the lines that could not be read.
    pub bad: Vec<BadLine>,
    /// All of them.
    #[ts(type = "number")]
    pub bad_lines: u64,
    #[ts(type = "number")]
    pub events: u64,
    /// What is wrong with the ledger as a whole; it was read in as it is.
    pub problems: Vec<String>,
    /// Spellings that were forgiven: a byte order mark, lines that end as on Windows, later kinds.
    #[ts(type = "Record<string, number>")]
    pub notes: BTreeMap<String, u64>,
    /// Of the model, as the file tells it; absent where files of this format tell none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tokens: Option<Tokens>,
}

/// Each message's tokens once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Tokens {
    /// What went in, with what came from a cache.
    #[serde(rename = "in")]
    #[ts(type = "number")]
    pub read: u64,
    #[serde(rename = "out")]
    #[ts(type = "number")]
    pub written: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BadLine {
    #[ts(type = "number")]
    pub line: u64,
    pub why: String,
}

const BAD_LISTED_MAX: usize = 1_000;

impl Account {
    fn bad(&mut self, line: u64, why: String) {
        self.bad_lines += 1;
        if self.bad.len() < BAD_LISTED_MAX {
            self.bad.push(BadLine { line, why });
        }
    }
}

/// Why a file could not be read in. Nothing of it was written.
#[derive(Debug)]
pub(crate) struct Halt(String);

impl From<std::io::Error> for Halt {
    fn from(error: std::io::Error) -> Halt {
        Halt(error.to_string())
    }
}

impl From<store::StoreError> for Halt {
    fn from(error: store::StoreError) -> Halt {
        Halt(error.to_string())
    }
}
