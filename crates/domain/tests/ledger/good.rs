//! Good ledgers of any length, from a seed; and what a check says of a file.

use domain::ledger::{Believed, Checkpoint, Head, Key, Lines, Report, Verifier, parse_line, to_line};
use domain::{RunId, Seq, Timestamp};
use serde_json::json;
use uuid::Uuid;

pub(crate) const RUN: RunId = RunId(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0007));
pub(crate) const OTHER: RunId = RunId(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0009));

/// A small generator of numbers that only depend on the seed.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

/// Whose signature a checkpoint has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signer {
    Us,
    Them,
}

impl Signer {
    pub(crate) fn key(self) -> Key {
        Key::from_secret(&[if self == Signer::Us { 1 } else { 2 }; 32])
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    pub(crate) lines: Vec<String>,
    pub(crate) marks: Vec<(Checkpoint, Signer)>,
}

pub(crate) fn at(n: u64) -> Timestamp {
    Timestamp::from_unix_ms(1_796_040_000_000 + i64::try_from(n).unwrap() * 1_000)
}

/// Checkpoints stand this far apart.
const MARK_EACH: u64 = 30;

impl Ledger {
    pub(crate) fn good(dice: &mut Dice) -> Ledger {
        let mut ledger = Ledger::default();
        let to = 35 + dice.below(80) as u64;
        ledger.grow(to, dice, Signer::Us);
        ledger
    }

    /// `n` events, always the same.
    pub(crate) fn of(n: u64) -> Ledger {
        let mut ledger = Ledger::default();
        ledger.grow(n, &mut Dice(7), Signer::Us);
        ledger
    }

    /// Adds events up to `to`, a checkpoint after every thirtieth and at the end.
    pub(crate) fn grow(&mut self, to: u64, dice: &mut Dice, signer: Signer) {
        let mut head = self.head(self.lines.len());
        while head.seq.0 < to {
            let n = head.seq.0;
            let text = format!("line {n} — \"é漢\" {}", "x".repeat(dice.below(200)));
            let cost = f64::from(u32::try_from(dice.below(1_000)).unwrap()) / 1_000.0;
            let payload = json!({"v": 1, "text": text, "n": dice.below(1_000), "cost": cost});
            let (body, after) = head.append(RUN, "note", at(n), payload);
            head = after;
            self.lines.push(to_line(&body, head.hash));
            if head.seq.0.is_multiple_of(MARK_EACH) || head.seq.0 == to {
                self.marks.push((Checkpoint { run: RUN, seq: head.seq, hash: head.hash, at: at(n) }, signer));
            }
        }
    }

    /// The head after the first `n` lines.
    pub(crate) fn head(&self, n: usize) -> Head {
        let Some(line) = n.checked_sub(1).map(|last| &self.lines[last]) else { return Head::start(RUN) };
        let parsed = parse_line(line.as_bytes()).unwrap();
        Head { seq: Seq(parsed.seq), hash: parsed.link.unwrap().written }
    }

    pub(crate) fn file(&self) -> Vec<u8> {
        self.lines.iter().map(|line| line.clone() + "\n").collect::<String>().into_bytes()
    }

    pub(crate) fn marks_file(&self) -> Vec<u8> {
        let line = |(mark, signer): &(Checkpoint, Signer)| {
            let key = signer.key();
            mark.seal(&key.public(), &mark.sign(&key)).line() + "\n"
        };
        self.marks.iter().map(line).collect::<String>().into_bytes()
    }

    /// What a check says that believes our signatures, without trying them again.
    pub(crate) fn report(&self) -> Report {
        let ours = self.marks.iter().filter(|(_, signer)| *signer == Signer::Us);
        let ours: Vec<_> = ours.map(|(mark, _)| *mark).collect();
        check(&self.file(), Verifier::new(Some(RUN), &ours))
    }
}

pub(crate) fn check(file: &[u8], mut verifier: Verifier) -> Report {
    let mut lines = Lines::default();
    let mut each = |line: domain::ledger::Line<'_>| {
        match line.parse() {
            Ok(parsed) => verifier.event(Some(line.number), &parsed),
            Err(why) => verifier.unreadable(line.number, &why, line.unended),
        }
        true
    };
    // In pieces, as files come.
    for piece in file.chunks(256 << 10) {
        lines.add(piece, &mut each);
    }
    lines.end(&mut each);
    verifier.finish()
}

/// What a check says of a file and the checkpoints beside it.
pub(crate) fn check_files(file: &[u8], marks: Option<&[u8]>, run: Option<&str>) -> Report {
    let believed =
        marks.map(|marks| Believed::read(marks, Some(Signer::Us.key().public()))).unwrap_or_default();
    let mut verifier = Verifier::named(run, &believed.checkpoints);
    believed.bad.into_iter().for_each(|text| verifier.bad_checkpoint(text));
    check(file, verifier)
}
