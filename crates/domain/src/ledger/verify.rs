//! Is the record the one that was written? Events go in one after the other; what is wrong is said
//! once, with the place where it begins, and reading goes on.

use super::gaps::Gaps;
use super::line::Link;
use super::{Checkpoint, Fault, Hash, Parsed, Problem, Report, Unreadable};
use crate::event::Payload;
use crate::{RunId, Seq};
use std::collections::BTreeMap;

/// More problems than this are counted, not listed.
const PROBLEMS_MAX: usize = 100;
/// Kinds beyond this many are counted together: a file may hold a new one in every line.
const UNKNOWN_MAX: usize = 1_000;

#[derive(Debug)]
pub struct Verifier {
    run: Option<String>,
    last_seq: u64,
    /// The hash that the next event's `prev` must be.
    last_hash: Option<Hash>,
    /// Lines since that may have been events and could not be taken as such.
    lost: u64,
    chained: Option<bool>,
    mixed: bool,
    swapped: bool,
    events: u64,
    gaps: Gaps,
    stretch: Option<Stretch>,
    problems: Vec<Problem>,
    more_problems: u64,
    first_bad: Option<u64>,
    unknown: BTreeMap<String, u64>,
    checkpoints: Vec<Checkpoint>,
    /// What was signed for a seq. Two that differ mean that an old copy was put back and went on.
    signed: BTreeMap<u64, Vec<Hash>>,
    covered_to: u64,
}

/// The same thing wrong with one event after the other: told once.
#[derive(Debug)]
struct Stretch {
    fault: Fault,
    /// Whose events these are.
    run: String,
    seq: u64,
    line: Option<u64>,
    /// The seqs that stand there.
    from: u64,
    to: u64,
    events: u64,
    after: u64,
}

impl Verifier {
    /// `run`: whose ledger it must be; `None`: the first event says. Checkpoints whose signatures were
    /// found right; those of other runs are passed over.
    #[must_use]
    pub fn new(run: Option<RunId>, checkpoints: &[Checkpoint]) -> Verifier {
        Verifier::named(run.map(|run| run.to_string()).as_deref(), checkpoints)
    }

    /// The same, for a run whose id need not be one of ours.
    #[must_use]
    pub fn named(run: Option<&str>, checkpoints: &[Checkpoint]) -> Verifier {
        let mut verifier = Verifier {
            run: None,
            last_seq: 0,
            last_hash: None,
            lost: 0,
            chained: None,
            mixed: false,
            swapped: false,
            events: 0,
            gaps: Gaps::default(),
            stretch: None,
            problems: Vec::new(),
            more_problems: 0,
            first_bad: None,
            unknown: BTreeMap::new(),
            checkpoints: checkpoints.to_vec(),
            signed: BTreeMap::new(),
            covered_to: 0,
        };
        if let Some(run) = run {
            verifier.begin(run);
        }
        verifier
    }

    fn begin(&mut self, run: &str) {
        self.run = Some(run.to_owned());
        self.last_hash = Some(Hash::genesis_of(run));
        for mark in std::mem::take(&mut self.checkpoints) {
            if mark.run.to_string() == run {
                let hashes = self.signed.entry(mark.seq.0).or_default();
                if !hashes.contains(&mark.hash) {
                    hashes.push(mark.hash);
                }
            }
        }
    }

    /// Goes on behind events that were checked before.
    #[must_use]
    pub fn behind(self, seq: Seq, hash: Hash) -> Verifier {
        let covered_to = self.signed.range(..=seq.0).next_back().map_or(0, |(covered, _)| *covered);
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
        if self.run.is_none() {
            self.begin(&parsed.run);
        }
        if self.run.as_deref() != Some(&*parsed.run) {
            self.foreign(line, parsed);
            return;
        }
        if !parsed.known_layout || !Payload::KINDS.contains(&&*parsed.kind) {
            self.count_unknown(&parsed.kind);
        }
        let chained = *self.chained.get_or_insert(parsed.link.is_some());
        if chained != parsed.link.is_some() && !self.mixed {
            self.mixed = true;
            let text = "some events have a hash and some have none".to_owned();
            self.problem(Problem::new(Fault::Mixed, Some(parsed.seq), line, text));
        }
        let Some(place) = self.place(line, parsed.seq) else { return };
        self.close();
        if let Some(link) = &parsed.link {
            self.link(line, parsed.seq, link, place);
        }
        if place != Place::Late {
            self.last_seq = parsed.seq;
            self.last_hash = parsed.link.map(|link| link.written);
            self.lost = 0;
        }
    }

    /// Adds a line that is no event. `last`: it is the last one, and has no end.
    pub fn unreadable(&mut self, line: u64, why: &Unreadable, last: bool) {
        let (fault, text) = if last {
            (Fault::Truncated, format!("line {line} is cut off: the file ends within an event (it {why})"))
        } else {
            (why.into(), format!("line {line} {why}"))
        };
        self.problem(Problem::new(fault, Some(self.last_seq + 1), Some(line), text));
        // Whatever stood here may have been the next event: what follows is no gap.
        self.lost += 1;
    }

    fn foreign(&mut self, line: Option<u64>, parsed: &Parsed<'_>) {
        self.lost += 1;
        self.stretch(Fault::ForeignRun, self.last_seq + 1, line, parsed.seq, &parsed.run);
    }

    fn count_unknown(&mut self, kind: &str) {
        if let Some(count) = self.unknown.get_mut(kind) {
            *count += 1;
        } else {
            let kind = if self.unknown.len() < UNKNOWN_MAX { kind } else { "(others)" };
            *self.unknown.entry(kind.to_owned()).or_default() += 1;
        }
    }

    /// `None`: it was there before, and is passed over.
    fn place(&mut self, line: Option<u64>, seq: u64) -> Option<Place> {
        let expected = self.last_seq + 1;
        if seq == expected {
            return Some(Place::Next);
        }
        if seq > expected {
            // Lines that could not be read may well have been the events that are missing.
            if seq - expected > self.lost {
                let text =
                    format!("{} missing: after {} comes {seq}", events(expected, seq - 1), self.last_seq);
                let problem = self.problem(Problem::new(Fault::Gap, Some(expected), line, text));
                self.gaps.add(expected, seq - 1, problem);
            }
            return Some(Place::Ahead);
        }
        let Some(place) = self.gaps.fill(seq) else {
            self.stretch(Fault::Repeat, seq, line, seq, "");
            return None;
        };
        // It was not missing, only moved.
        let gap = place.and_then(|place| self.problems.get_mut(place));
        if let Some(problem) = gap.filter(|problem| problem.fault == Fault::Gap) {
            problem.fault = Fault::Reorder;
            problem.text = format!("event {seq} stands after event {}: the order was changed", self.last_seq);
        }
        Some(Place::Late)
    }

    fn link(&mut self, line: Option<u64>, seq: u64, link: &Link, place: Place) {
        let before = self.last_hash.filter(|before| place == Place::Next && *before != link.prev);
        if link.found != link.written {
            let text = format!("event {seq} was altered: its bytes do not hash to what was written with it");
            let problem = Problem::new(Fault::Altered, Some(seq), line, text);
            self.problem(problem.hashes(link.written, link.found));
        } else if let Some(before) = before {
            let text = format!("event {seq} names another event before it than the one that is there");
            self.problem(Problem::new(Fault::Unlinked, Some(seq), line, text).hashes(link.prev, before));
        }
        let Some(signed) = self.signed.get(&seq) else { return };
        match signed.iter().find(|signed| **signed != link.written) {
            None if link.found == link.written && self.first_bad.is_none() => self.covered_to = seq,
            Some(&signed) if !self.swapped => {
                // Everything after it differs as well; that is no news.
                self.swapped = true;
                let text = format!(
                    "event {seq} is not the one that was signed: the record was changed between event {} and here",
                    self.covered_to + 1
                );
                let problem = Problem::new(Fault::Swapped, Some(seq), line, text);
                self.problem(problem.hashes(signed, link.written));
            }
            _ => {}
        }
    }

    /// One more event with this fault; `seq` is where the trouble begins, `there` what stands in it.
    fn stretch(&mut self, fault: Fault, seq: u64, line: Option<u64>, there: u64, run: &str) {
        if let Some(open) = &mut self.stretch
            && open.fault == fault
            && open.run == run
            && (fault == Fault::ForeignRun || there == open.to + 1)
        {
            open.to = there;
            open.events += 1;
            return;
        }
        self.close();
        let (run, after) = (run.to_owned(), self.last_seq);
        self.stretch = Some(Stretch { fault, run, seq, line, from: there, to: there, events: 1, after });
        self.bad(seq);
    }

    fn close(&mut self) {
        let Some(Stretch { fault, run, seq, line, from, to, events: n, after }) = self.stretch.take() else {
            return;
        };
        let own = self.run.as_deref().unwrap_or_default();
        let text = match (fault, n) {
            (Fault::ForeignRun, 1) => format!("event {from} belongs to run {run}, not to {own}"),
            (Fault::ForeignRun, n) => format!("{n} events belong to run {run}, not to {own}"),
            _ => format!("{} there again after event {after}", events(from, to)),
        };
        self.list(Problem::new(fault, Some(seq), line, text));
    }

    /// Its place in the list; `None` when it was only counted.
    fn problem(&mut self, problem: Problem) -> Option<usize> {
        self.close();
        self.list(problem)
    }

    fn list(&mut self, problem: Problem) -> Option<usize> {
        if let Some(seq) = problem.seq {
            self.bad(seq);
        }
        if self.problems.len() >= PROBLEMS_MAX {
            self.more_problems += 1;
            return None;
        }
        self.problems.push(problem);
        Some(self.problems.len() - 1)
    }

    fn bad(&mut self, seq: u64) {
        self.first_bad = Some(self.first_bad.map_or(seq, |first| first.min(seq)));
    }

    /// Whoever reads had enough: what is not there was not read, and no signature of it is missed.
    #[must_use]
    pub fn stopped(mut self) -> Verifier {
        self.signed.split_off(&(self.last_seq + 1));
        self
    }

    /// What else is known of where the run ends, without a signature.
    #[must_use]
    pub fn ends_at(mut self, seq: u64) -> Verifier {
        if seq > self.last_seq && self.events > 0 {
            let last = self.last_seq;
            let text =
                format!("the end is cut off: the run has {seq} events, but the last one here is {last}");
            self.problem(Problem::new(Fault::CutTail, Some(last + 1), None, text));
        }
        self
    }

    /// A checkpoint that could not be used: its signature is wrong, or it is not readable.
    pub fn bad_checkpoint(&mut self, text: String) {
        self.problem(Problem::new(Fault::Checkpoint, None, None, text));
    }

    #[must_use]
    pub fn finish(mut self) -> Report {
        self.close();
        self.still_missing();
        let last = self.last_seq;
        if self.events == 0 {
            self.problem(Problem::new(Fault::Empty, None, None, "there is no event".to_owned()));
        } else if let Some((seq, hash)) = self.signed.range(last + 1..).next_back() {
            let text = format!(
                "the end is cut off: a checkpoint vouches for event {seq}, but the last one is {last}"
            );
            let problem = Problem::new(Fault::CutTail, Some(last + 1), None, text);
            let expected = hash.first().map(|hash| hash.hex());
            self.problem(Problem { expected, ..problem });
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
            last_hash: self.last_hash.filter(|_| self.last_seq > 0),
        }
    }

    /// Where some events of a gap came late, the gap is told as a change of order; those that never
    /// came are told apart.
    fn still_missing(&mut self) {
        let left: Vec<_> = self.gaps.left().collect();
        for (from, to, problem) in left {
            if problem.is_some_and(|place| self.problems[place].fault == Fault::Reorder) {
                let text = format!("{} missing", events(from, to));
                self.problem(Problem::new(Fault::Gap, Some(from), None, text));
            }
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

/// Where an event stands, seen from the one before it in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Next,
    Ahead,
    Late,
}

/// `event 3 is`, `events 3 to 5 are`.
fn events(from: u64, to: u64) -> String {
    if from == to { format!("event {from} is") } else { format!("events {from} to {to} are") }
}
