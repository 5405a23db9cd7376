//! What a reading gives: events with their session and sign, and an account of every record.

use domain::ledger::Hash;
use domain::{Payload, Timestamp};
use std::collections::BTreeMap;

/// One event that a record told of.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// As the agent calls its session.
    pub session: String,
    /// The time the record carries. It is data; the order is the order of the records.
    pub at: Option<Timestamp>,
    pub sign: Sign,
    pub payload: Payload,
}

/// By what an event is known when it is told again: by the same file, a copy, or another source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sign {
    pub key: [u8; 16],
    /// For what was said: the same words of the same speaker, which other sources tell under other ids.
    pub said: Option<[u8; 16]>,
}

/// A short fingerprint of some words.
pub(crate) fn mark(words: &[&str]) -> [u8; 16] {
    let mut bytes = Vec::with_capacity(words.iter().map(|word| word.len() + 8).sum());
    for word in words {
        bytes.extend_from_slice(&(word.len() as u64).to_le_bytes());
        bytes.extend_from_slice(word.as_bytes());
    }
    let mut short = [0; 16];
    short.copy_from_slice(&Hash::of(&bytes).0[..16]);
    short
}

/// What is known of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    /// The agent's name: `claude-code`, `codex` …
    pub agent: String,
    pub version: Option<String>,
    /// The folder it worked in.
    pub cwd: Option<String>,
    pub title: Option<String>,
    /// The session that started this one.
    pub parent: Option<String>,
}

/// A record that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad {
    /// From 1; of a file that is one document, the number of the record in it.
    pub line: u64,
    pub why: String,
}

/// Of the bad ones so many are listed; all are counted.
const BAD_LISTED_MAX: usize = 1_000;

/// What became of every record: `lines` is `mapped`, and all that was skipped, and `bad_lines`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    pub lines: u64,
    pub mapped: u64,
    pub skipped: BTreeMap<String, u64>,
    pub bad: Vec<Bad>,
    pub bad_lines: u64,
    /// What was forgiven, and how often.
    pub notes: BTreeMap<String, u64>,
}

/// Names come from files; after so many the rest are counted together.
const NAMES_MAX: usize = 300;

impl Tally {
    pub(crate) fn skip(&mut self, name: &str) {
        count(&mut self.skipped, name);
    }

    pub(crate) fn note(&mut self, name: &str) {
        count(&mut self.notes, name);
    }

    pub(crate) fn bad(&mut self, line: u64, why: String) {
        self.bad_lines += 1;
        if self.bad.len() < BAD_LISTED_MAX {
            self.bad.push(Bad { line, why });
        }
    }
}

fn count(names: &mut BTreeMap<String, u64>, name: &str) {
    if let Some(times) = names.get_mut(name) {
        *times += 1;
        return;
    }
    let name = if names.len() < NAMES_MAX { name.chars().take(100).collect() } else { "…".to_owned() };
    *names.entry(name).or_default() += 1;
}
