//! Is the record the one that was written? Events go in one after the other; what is wrong is said
//! once, with the place where it begins, and reading goes on.

use super::line::Link;
use super::{Checkpoint, Hash, Parsed, Unreadable};
use crate::event::Payload;
use crate::{RunId, Seq};
use std::collections::BTreeMap;

/// More problems than this are counted, not listed.
const PROBLEMS_MAX: usize = 100;

/// What can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    Unreadable,
    /// The last line has no end: the writing of it was cut off.
    Truncated,
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub seq: Option<u64>,
    /// The line of the file, from 1.
    pub line: Option<u64>,
    pub fault: Fault,
    pub text: String,
    /// Altered and swapped: the hash that was written or signed, and what there is.
    pub expected: Option<String>,
    pub found: Option<String>,
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

#[derive(Debug)]
pub struct Verifier {
    run: Option<String>,
    genesis: Option<Hash>,
    last_seq: u64,
    last_hash: Option<Hash>,
    /// The event before was read and stood where it should.
    joined: bool,
    chained: Option<bool>,
    events: u64,
    /// Seqs that were passed over, and the problem that says so.
    missing: BTreeMap<u64, usize>,
    problems: Vec<Problem>,
    more_problems: u64,
    first_bad: Option<u64>,
    unknown: BTreeMap<String, u64>,
    checkpoints: BTreeMap<u64, Hash>,
    covered_to: u64,
}

impl Verifier {
    /// `run`: whose ledger it must be; `None`: the first event says. Checkpoints whose signatures were
    /// found right.
    #[must_use]
    pub fn new(run: Option<RunId>, checkpoints: &[Checkpoint]) -> Verifier {
        let checkpoints = checkpoints.iter().map(|mark| (mark.seq.0, mark.hash)).collect();
        Verifier {
            run: run.map(|run| run.to_string()),
            genesis: run.map(Hash::genesis),
            last_seq: 0,
            last_hash: None,
            joined: true,
            chained: None,
            events: 0,
            missing: BTreeMap::new(),
            problems: Vec::new(),
            more_problems: 0,
            first_bad: None,
            unknown: BTreeMap::new(),
            checkpoints,
            covered_to: 0,
        }
    }

    /// Goes on behind events that were checked before.
    #[must_use]
    pub fn behind(self, seq: Seq, hash: Hash) -> Verifier {
        let covered_to = self.checkpoints.range(..=seq.0).next_back().map_or(0, |(covered, _)| *covered);
        Verifier {
            last_seq: seq.0,
            last_hash: Some(hash),
            events: seq.0,
            chained: Some(true),
            covered_to,
            ..self
        }
    }

    /// How many events were read so far.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Adds an event. `line`: where it stands in a file.
    pub fn event(&mut self, line: Option<u64>, parsed: &Parsed<'_>) {
        self.events += 1;
        if !self.is_ours(line, parsed) {
            return;
        }
        if !parsed.known_layout || !Payload::KINDS.contains(&parsed.kind.as_ref()) {
            *self.unknown.entry(parsed.kind.clone().into_owned()).or_default() += 1;
        }
        let chained = *self.chained.get_or_insert(parsed.link.is_some());
        if chained != parsed.link.is_some() {
            let text = "some events have a hash and some have none".to_owned();
            self.problem(Some(parsed.seq), line, Fault::Mixed, text, None);
        }
        let (in_order, follows) = self.order(line, parsed.seq);
        if let Some(link) = &parsed.link {
            self.link(line, parsed.seq, link, follows);
        }
        if in_order {
            self.last_seq = parsed.seq;
            self.last_hash = parsed.link.map(|link| link.written);
            self.joined = true;
        }
    }

    /// Adds a line that is no event. `last`: it is the last one, and has no end.
    pub fn unreadable(&mut self, line: u64, why: &Unreadable, last: bool) {
        let seq = self.last_seq + 1;
        if last {
            let text = format!("line {line} is cut off: the file ends within an event ({why})");
            self.problem(Some(seq), Some(line), Fault::Truncated, text, None);
        } else {
            self.problem(Some(seq), Some(line), Fault::Unreadable, format!("line {line} {why}"), None);
        }
        // Whatever stood here may have been the next event: what follows is neither gap nor unlinked.
        self.joined = false;
    }

    fn is_ours(&mut self, line: Option<u64>, parsed: &Parsed<'_>) -> bool {
        let run = self.run.get_or_insert_with(|| parsed.run.clone().into_owned());
        if *run == parsed.run {
            if self.genesis.is_none() {
                self.genesis = run.parse().ok().map(Hash::genesis);
            }
            return true;
        }
        let text = format!("event {} belongs to run {}, not to {run}", parsed.seq, parsed.run);
        self.problem(Some(self.last_seq + 1), line, Fault::ForeignRun, text, None);
        self.joined = false;
        false
    }

    /// (it moves the end on, the event before it in the file is the one before it in the run)
    fn order(&mut self, line: Option<u64>, seq: u64) -> (bool, bool) {
        let expected = self.last_seq + 1;
        if seq == expected {
            return (true, self.joined);
        }
        if seq > expected {
            // After a line that could not be read the next event may well be the one after it.
            if !self.joined && seq == expected + 1 {
                return (true, false);
            }
            let text = match seq - expected {
                1 => format!("event {expected} is missing: after {} comes {seq}", self.last_seq),
                n => format!("{n} events are missing: after {} comes {seq}", self.last_seq),
            };
            self.problem(Some(expected), line, Fault::Gap, text, None);
            let place = self.problems.len().saturating_sub(1);
            self.missing.extend((expected..seq).take(PROBLEMS_MAX).map(|missing| (missing, place)));
            return (true, false);
        }
        if let Some(place) = self.missing.remove(&seq) {
            // It was not missing, only moved.
            if let Some(problem) = self.problems.get_mut(place).filter(|problem| problem.fault == Fault::Gap)
            {
                problem.fault = Fault::Reorder;
                problem.text =
                    format!("event {seq} stands after event {}: the order was changed", self.last_seq);
            }
        } else {
            let text = format!("event {seq} is there again after event {}", self.last_seq);
            self.problem(Some(seq), line, Fault::Repeat, text, None);
        }
        (false, false)
    }

    fn link(&mut self, line: Option<u64>, seq: u64, link: &Link, follows: bool) {
        if link.found != link.written {
            let text = format!("event {seq} was altered: its bytes do not hash to what was written with it");
            self.problem(Some(seq), line, Fault::Altered, text, Some((link.written, link.found)));
        }
        let before = if seq == 1 { self.genesis } else { self.last_hash };
        if let (true, Some(before)) = (follows, before)
            && before != link.prev
        {
            let text = format!("event {seq} follows another event {} than the one before it", seq - 1);
            self.problem(Some(seq), line, Fault::Unlinked, text, Some((link.prev, before)));
        }
        if let Some(signed) = self.checkpoints.get(&seq).copied() {
            if signed == link.written && link.found == link.written {
                if self.first_bad.is_none() {
                    self.covered_to = seq;
                }
            } else if signed != link.written {
                let text = format!(
                    "event {seq} is not the one that was signed: the record was changed between event {} and here",
                    self.covered_to + 1
                );
                self.problem(Some(seq), line, Fault::Swapped, text, Some((signed, link.written)));
            }
        }
    }

    fn problem(
        &mut self,
        seq: Option<u64>,
        line: Option<u64>,
        fault: Fault,
        text: String,
        hashes: Option<(Hash, Hash)>,
    ) {
        self.first_bad = match (self.first_bad, seq) {
            (Some(first), Some(seq)) => Some(first.min(seq)),
            (first, seq) => first.or(seq),
        };
        if self.problems.len() >= PROBLEMS_MAX {
            self.more_problems += 1;
            return;
        }
        let (expected, found) = hashes.map(|(expected, found)| (expected.hex(), found.hex())).unzip();
        self.problems.push(Problem { seq, line, fault, text, expected, found });
    }

    /// What else is known of where the run ends, without a signature.
    #[must_use]
    pub fn ends_at(mut self, seq: u64) -> Verifier {
        if seq > self.last_seq && self.events > 0 {
            let last = self.last_seq;
            let text =
                format!("the end is cut off: the run has {seq} events, but the last one here is {last}");
            self.problem(Some(last + 1), None, Fault::CutTail, text, None);
        }
        self
    }

    /// A checkpoint that could not be used: its signature is wrong, or it is not readable.
    pub fn bad_checkpoint(&mut self, text: String) {
        self.problem(None, None, Fault::Checkpoint, text, None);
    }

    #[must_use]
    pub fn finish(mut self) -> Report {
        if self.events == 0 {
            self.problem(None, None, Fault::Empty, "there is no event".to_owned(), None);
        }
        if let Some((&seq, &hash)) = self.checkpoints.range(self.last_seq + 1..).next_back()
            && self.events > 0
        {
            let text = format!(
                "the end is cut off: a checkpoint vouches for event {seq}, but the last one is {}",
                self.last_seq
            );
            let line = None;
            self.problem(Some(self.last_seq + 1), line, Fault::CutTail, text, None);
            if let Some(problem) = self.problems.last_mut() {
                problem.expected = Some(hash.hex());
            }
        }
        self.problems.sort_by_key(|problem| problem.seq.unwrap_or(u64::MAX));
        let chained = self.chained.unwrap_or(false);
        Report {
            ok: self.problems.is_empty(),
            events: self.events,
            chained,
            first_bad_seq: self.first_bad,
            uncovered: self.uncovered(chained),
            problems: self.problems,
            more_problems: self.more_problems,
            covered_to: self.covered_to,
            unknown: self.unknown,
            last_seq: self.last_seq,
            last_hash: self.last_hash,
        }
    }

    fn uncovered(&self, chained: bool) -> Option<String> {
        if self.events == 0 {
            return None;
        }
        if !chained {
            return Some("the events have no hashes: only their order and number were checked".to_owned());
        }
        match self.covered_to {
            0 => Some(
                "no signed checkpoint covers any of it: a cut tail or a swapped file would not show"
                    .to_owned(),
            ),
            covered if covered < self.last_seq => {
                Some(format!("events {} to {} have no signed checkpoint yet", covered + 1, self.last_seq))
            }
            _ => None,
        }
    }
}
