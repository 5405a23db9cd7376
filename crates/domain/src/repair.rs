//! Refused calls as chains: which tries belong together, and how each chain came out.
//!
//! A chain is the tries of one run at one tool, aimed at one task. It is repaired by the run's
//! first later call of that tool, aimed at that task, that is accepted. A refusal that aimed at no
//! task of the board is repaired by any accepted call of its tool.

use crate::run::words;
use crate::{Seq, TaskNo};
use serde::{Deserialize, Serialize};

/// The very same call refused this often is a loop.
const LOOP_TRIES: u32 = 3;

/// A run that made so many other calls since has given up.
const GIVEN_UP_CALLS: u64 = 30;

words!(
    /// How a chain came out, as far as it is known.
    Outcome {
        Open = "open",
        Repaired = "repaired",
        GaveUp = "gave_up",
        Loop = "loop",
        Expected = "expected",
    }
);

impl Outcome {
    /// From what a card shows first to what it shows last.
    pub const WORST_FIRST: [Outcome; 5] =
        [Outcome::Loop, Outcome::GaveUp, Outcome::Open, Outcome::Repaired, Outcome::Expected];
}

/// How many chains came out how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes([u32; 5]);

impl Outcomes {
    fn place(outcome: Outcome) -> usize {
        match outcome {
            Outcome::Open => 0,
            Outcome::Repaired => 1,
            Outcome::GaveUp => 2,
            Outcome::Loop => 3,
            Outcome::Expected => 4,
        }
    }

    #[must_use]
    pub fn count(self, outcome: Outcome) -> u32 {
        self.0[Outcomes::place(outcome)]
    }

    pub fn add(&mut self, outcome: Outcome) {
        let count = &mut self.0[Outcomes::place(outcome)];
        *count = count.saturating_add(1);
    }

    pub fn shift(&mut self, shift: &Shift) {
        if let Some(before) = shift.before {
            let count = &mut self.0[Outcomes::place(before)];
            *count = count.saturating_sub(1);
        }
        self.add(shift.after);
    }

    #[must_use]
    pub fn worst(self) -> Option<Outcome> {
        Outcome::WORST_FIRST.into_iter().find(|outcome| self.count(*outcome) > 0)
    }
}

/// Tries that belong together and were not repaired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// The first refusal; it names the chain.
    pub seq: Seq,
    pub tool: String,
    pub task: Option<TaskNo>,
    /// Open, gave up or loop.
    pub state: Outcome,
    /// A person said that it is as it should be.
    pub expected: bool,
    /// Which of the run's calls tried last.
    pub last_call: u64,
    /// The arguments of the last try, and how often in a row just they were refused.
    pub digest: String,
    pub same: u32,
}

impl Chain {
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        if self.expected { Outcome::Expected } else { self.state }
    }
}

/// A chain changed how it came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shift {
    pub chain: Seq,
    pub task: Option<TaskNo>,
    /// `None`: it is new.
    pub before: Option<Outcome>,
    pub after: Outcome,
}

/// The calls of one run, as far as refusals need them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    /// Calls made so far, accepted and refused.
    pub made: u64,
    /// Not repaired, oldest first.
    pub chains: Vec<Chain>,
}

impl Calls {
    /// A call was refused. Gives the chain that it belongs to, and what changed.
    pub fn refused(&mut self, seq: Seq, tool: &str, task: Option<TaskNo>, digest: &str) -> (Seq, Vec<Shift>) {
        self.made += 1;
        let made = self.made;
        let of = self.chains.iter_mut().find(|chain| chain.tool == tool && chain.task == task);
        let (first, shift) = if let Some(chain) = of {
            let before = chain.outcome();
            chain.same = if chain.digest == digest { chain.same + 1 } else { 1 };
            digest.clone_into(&mut chain.digest);
            chain.last_call = made;
            if chain.same >= LOOP_TRIES {
                chain.state = Outcome::Loop;
            } else if chain.state == Outcome::GaveUp {
                chain.state = Outcome::Open;
            }
            let after = chain.outcome();
            let shift =
                (before != after).then_some(Shift { chain: chain.seq, task, before: Some(before), after });
            (chain.seq, shift)
        } else {
            let (tool, digest) = (tool.to_owned(), digest.to_owned());
            let state = Outcome::Open;
            self.chains.push(Chain {
                seq,
                tool,
                task,
                state,
                expected: false,
                last_call: made,
                digest,
                same: 1,
            });
            (seq, Some(Shift { chain: seq, task, before: None, after: state }))
        };
        let mut shifts: Vec<Shift> = shift.into_iter().collect();
        shifts.extend(self.given_up());
        (first, shifts)
    }

    /// A call was accepted: it repairs what it was a try of.
    pub fn accepted(&mut self, tool: &str, task: Option<TaskNo>) -> Vec<Shift> {
        self.made += 1;
        let mut shifts = Vec::new();
        self.chains.retain(|chain| {
            let repaired = chain.tool == tool && (chain.task.is_none() || chain.task == task);
            if repaired {
                let before = Some(chain.outcome());
                let after = Outcome::Repaired;
                shifts.push(Shift { chain: chain.seq, task: chain.task, before, after });
            }
            !repaired
        });
        shifts.extend(self.given_up());
        shifts
    }

    /// The run ended: what is open was given up.
    pub fn ended(&mut self) -> Vec<Shift> {
        self.give_up(|_| true)
    }

    /// A person marked a chain, or took the mark back.
    pub fn marked(&mut self, seq: Seq, expected: bool) -> Option<Shift> {
        let chain = self.chains.iter_mut().find(|chain| chain.seq == seq)?;
        let before = chain.outcome();
        chain.expected = expected;
        let after = chain.outcome();
        (before != after).then_some(Shift { chain: seq, task: chain.task, before: Some(before), after })
    }

    fn given_up(&mut self) -> Vec<Shift> {
        let made = self.made;
        self.give_up(|chain| made - chain.last_call > GIVEN_UP_CALLS)
    }

    fn give_up(&mut self, which: impl Fn(&Chain) -> bool) -> Vec<Shift> {
        let mut shifts = Vec::new();
        for chain in &mut self.chains {
            if chain.state == Outcome::Open && which(chain) {
                let before = chain.outcome();
                chain.state = Outcome::GaveUp;
                let after = chain.outcome();
                if before != after {
                    shifts.push(Shift { chain: chain.seq, task: chain.task, before: Some(before), after });
                }
            }
        }
        shifts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x` refused, `+` accepted, `end`, `mark N`, `unmark N`; each followed by tool, task (`-`: none) and arguments.
    fn outcomes(script: &str) -> Vec<(u64, Outcome)> {
        let mut calls = Calls::default();
        let mut found: Vec<(u64, Outcome)> = Vec::new();
        for (i, step) in script.split(';').map(str::trim).enumerate() {
            let words: Vec<&str> = step.split_whitespace().collect();
            let task = words.get(2).and_then(|word| word.parse().ok()).map(TaskNo);
            let shifts = match words[0] {
                "x" => calls.refused(Seq(i as u64), words[1], task, words.get(3).copied().unwrap_or("")).1,
                "+" => calls.accepted(words[1], task),
                "end" => calls.ended(),
                "mark" => calls.marked(Seq(words[1].parse().unwrap()), true).into_iter().collect(),
                "unmark" => calls.marked(Seq(words[1].parse().unwrap()), false).into_iter().collect(),
                "work" => (0..31).flat_map(|_| calls.accepted("other", None)).collect(),
                other => panic!("{other}"),
            };
            for shift in shifts {
                let known = found.iter_mut().find(|(seq, _)| *seq == shift.chain.0);
                match (known, shift.before) {
                    (Some(known), Some(before)) => {
                        assert_eq!(known.1, before, "{step}");
                        known.1 = shift.after;
                    }
                    (None, None) => found.push((shift.chain.0, shift.after)),
                    other => panic!("{step}: {other:?}"),
                }
            }
        }
        for chain in &calls.chains {
            assert!(found.contains(&(chain.seq.0, chain.outcome())), "shifts tell the whole story");
        }
        found
    }

    #[test]
    fn a_chain_comes_out_as_its_later_calls_say() {
        use Outcome::{Expected, GaveUp, Loop, Open, Repaired};
        let check = |script: &str, expected: &[(u64, Outcome)]| {
            assert_eq!(outcomes(script), expected, "{script}");
        };
        check("x update 3 a", &[(0, Open)]);
        check("x update 3 a; + update 3", &[(0, Repaired)]);
        check("x update 3 a; x update 3 b; + update 3", &[(0, Repaired)]);
        check("x update 3 a; + update 4", &[(0, Open)]);
        check("x update 3 a; + delete 3", &[(0, Open)]);
        check("x update - a; + update 9", &[(0, Repaired)]);
        check("x update 3 a; x update 4 a; + update 4", &[(0, Open), (1, Repaired)]);
        check("x update 3 a; end", &[(0, GaveUp)]);
        check("x update 3 a; work", &[(0, GaveUp)]);
        check("x update 3 a; work; x update 3 b", &[(0, Open)]);
        check("x update 3 a; end; + update 3", &[(0, Repaired)]);
        check("x update 3 a; x update 3 a; x update 3 a", &[(0, Loop)]);
        check("x update 3 a; x update 3 a; x update 3 b; x update 3 a", &[(0, Open)]);
        check("x update 3 a; x update 3 a; x update 3 a; end", &[(0, Loop)]);
        check("x update 3 a; x update 3 a; x update 3 a; + update 3", &[(0, Repaired)]);
        check("x update 3 a; mark 0; end", &[(0, Expected)]);
        check("x update 3 a; mark 0; unmark 0; end", &[(0, GaveUp)]);
        check("x update 3 a; mark 0; end; unmark 0", &[(0, GaveUp)]);
        check("x update 3 a; mark 0; + update 3", &[(0, Repaired)]);
        check("x update 3 a; + update 3; mark 0", &[(0, Repaired)]);
        check("x update 3 a; + update 3; x update 3 a", &[(0, Repaired), (2, Open)]);
    }

    #[test]
    fn the_worst_outcome_is_shown_first() {
        let mut outcomes = Outcomes::default();
        assert_eq!(outcomes.worst(), None);
        for outcome in [Outcome::Expected, Outcome::Repaired, Outcome::Open, Outcome::GaveUp, Outcome::Loop] {
            outcomes.add(outcome);
            assert_eq!(outcomes.worst(), Some(outcome));
        }
        let shift =
            Shift { chain: Seq(1), task: None, before: Some(Outcome::Loop), after: Outcome::Repaired };
        outcomes.shift(&shift);
        assert_eq!((outcomes.worst(), outcomes.count(Outcome::Repaired)), (Some(Outcome::GaveUp), 2));
    }
}
