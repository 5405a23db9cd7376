//! Which events were passed over so far, and which of them came later after all.

use std::collections::BTreeMap;

/// Stretches of seqs that are missing. Each knows the number of the problem that was listed for it.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    /// First seq → last seq, and the problem.
    stretches: BTreeMap<u64, (u64, Option<usize>)>,
}

impl Gaps {
    pub(super) fn add(&mut self, from: u64, to: u64, problem: Option<usize>) {
        self.stretches.insert(from, (to, problem));
    }

    /// The event came. `None`: it was not missing.
    pub(super) fn fill(&mut self, seq: u64) -> Option<Option<usize>> {
        let (&from, &(to, problem)) = self.stretches.range(..=seq).next_back()?;
        if seq > to {
            return None;
        }
        self.stretches.remove(&from);
        if from < seq {
            self.stretches.insert(from, (seq - 1, problem));
        }
        if seq < to {
            self.stretches.insert(seq + 1, (to, problem));
        }
        Some(problem)
    }

    /// What never came, in order.
    pub(super) fn left(&self) -> impl Iterator<Item = (u64, u64, Option<usize>)> {
        self.stretches.iter().map(|(&from, &(to, problem))| (from, to, problem))
    }
}
