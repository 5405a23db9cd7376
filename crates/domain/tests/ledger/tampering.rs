//! Whatever is done to a ledger file is found, and the first bad event is named; a good ledger is
//! never called bad. Each kind of tampering is tried with a hundred seeds.

use crate::good::{Dice, Ledger, RUN, Signer, at, check};
use domain::Seq;
use domain::ledger::{Checkpoint, Fault, Hash, Head, Verifier, parse_line, to_line};
use proptest::prelude::*;
use serde_json::json;

/// Does it, and gives the first seq that can be known to be bad and what may be said of it.
pub(crate) type Act = fn(&mut Ledger, &mut Dice) -> (u64, &'static [Fault]);

pub(crate) const ACTS: &[(&str, Act)] = &[
    ("edit a byte", edit),
    ("delete", delete),
    ("insert", insert),
    ("swap two", swap),
    ("cut the tail", cut),
    ("restore an old copy", restore),
    ("replace the key", replace),
];

fn edit(ledger: &mut Ledger, dice: &mut Dice) -> (u64, &'static [Fault]) {
    let i = dice.below(ledger.lines.len());
    let mut bytes = ledger.lines[i].clone().into_bytes();
    // Within the payload, past the words that every line has.
    let place = bytes.windows(9).position(|w| w == b"\"payload\"").unwrap() + 12;
    let end = bytes.windows(8).rposition(|w| w == b",\"prev\":").unwrap();
    let byte = place + dice.below(end - place);
    bytes[byte] = if bytes[byte] == b'q' { b'r' } else { b'q' };
    ledger.lines[i] = String::from_utf8_lossy(&bytes).into_owned();
    (i as u64 + 1, &[Fault::Altered, Fault::Unreadable])
}

fn delete(ledger: &mut Ledger, dice: &mut Dice) -> (u64, &'static [Fault]) {
    let i = dice.below(ledger.lines.len() - 1);
    ledger.lines.remove(i);
    (i as u64 + 1, &[Fault::Gap])
}

fn insert(ledger: &mut Ledger, dice: &mut Dice) -> (u64, &'static [Fault]) {
    let i = dice.below(ledger.lines.len() - 1);
    let head = ledger.head(i);
    let (body, after) = head.append(RUN, "note", at(0), json!({"v": 1, "text": "I was always here"}));
    ledger.lines.insert(i, to_line(&body, after.hash));
    (i as u64 + 1, &[Fault::Repeat, Fault::Swapped])
}

fn swap(ledger: &mut Ledger, dice: &mut Dice) -> (u64, &'static [Fault]) {
    let i = dice.below(ledger.lines.len() - 1);
    ledger.lines.swap(i, i + 1);
    (i as u64 + 1, &[Fault::Reorder])
}

fn cut(ledger: &mut Ledger, dice: &mut Dice) -> (u64, &'static [Fault]) {
    let keep = 1 + dice.below(ledger.lines.len() - 1);
    ledger.lines.truncate(keep);
    (keep as u64 + 1, &[Fault::CutTail])
}

/// An old copy was put back, and the run went on from there with our own key.
fn restore(ledger: &mut Ledger, dice: &mut Dice) -> (u64, &'static [Fault]) {
    another_future(ledger, dice, Signer::Us)
}

/// Everything from one event on was hashed anew, and signed with another key.
fn replace(ledger: &mut Ledger, dice: &mut Dice) -> (u64, &'static [Fault]) {
    another_future(ledger, dice, Signer::Them)
}

/// The old signatures stand in the second place, beside those of the new future, which is longer.
fn another_future(ledger: &mut Ledger, dice: &mut Dice, signer: Signer) -> (u64, &'static [Fault]) {
    let keep = dice.below(ledger.lines.len());
    let to = ledger.lines.len() + dice.below(40);
    let first = ledger.marks.iter().find(|(mark, _)| mark.seq.0 > keep as u64).unwrap().0.seq.0;
    ledger.lines.truncate(keep);
    ledger.grow(to as u64, &mut Dice(dice.0 ^ 1), signer);
    (first, &[Fault::Swapped])
}

#[test]
fn seven_kinds_of_tampering_are_found_where_they_begin() {
    for (kind, act) in ACTS {
        for seed in 0..100 {
            let mut dice = Dice(seed);
            let mut ledger = Ledger::good(&mut dice);
            let sound = ledger.report();
            assert!(sound.ok, "{kind} {seed}: a false alarm: {:?}", sound.problems);
            assert_eq!(sound.covered_to, ledger.lines.len() as u64);
            let (first, faults) = act(&mut ledger, &mut dice);
            let found = ledger.report();
            assert!(!found.ok, "{kind} {seed}: not found");
            assert_eq!(found.first_bad_seq, Some(first), "{kind} {seed}: {:?}", found.problems);
            let fault = found.problems.iter().find(|problem| problem.seq == Some(first)).unwrap().fault;
            assert!(faults.contains(&fault), "{kind} {seed}: {fault:?}");
            assert!(found.problems.len() <= 3, "{kind} {seed}: one act, few words: {:?}", found.problems);
            assert!(found.covered_to < first, "{kind} {seed}: signed, although bad");
        }
    }
}

/// An old copy went on and was signed: the newest signature fits, only an old one tells.
#[test]
fn two_signatures_of_one_seq_are_both_asked() {
    let mut ledger = Ledger::of(90);
    let old = ledger.marks[1];
    ledger.lines.truncate(40);
    ledger.marks.truncate(1);
    ledger.grow(120, &mut Dice(8), Signer::Us);
    assert!(ledger.report().ok);
    for place in [0, ledger.marks.len()] {
        let mut marks = ledger.marks.clone();
        marks.insert(place, old);
        let found = Ledger { marks, ..ledger.clone() }.report();
        assert_eq!((found.first_bad_seq, found.covered_to), (Some(60), 30));
    }
}

#[test]
fn a_fault_is_told_once_however_long_it_is() {
    let first_problem = |lines: Vec<String>, expected: &[(Fault, u64)]| {
        let report = Ledger { lines, marks: Ledger::of(100).marks }.report();
        let found: Vec<_> = report.problems.iter().map(|p| (p.fault, p.seq.unwrap())).collect();
        assert_eq!(found, expected, "{:?}", report.problems);
        report.problems[0].text.clone()
    };
    let lines = Ledger::of(100).lines;
    let twice = first_problem([&lines[..50], &lines[20..]].concat(), &[(Fault::Repeat, 21)]);
    assert_eq!(twice, "events 21 to 50 are there again after event 50");
    let gap = first_problem([&lines[..20], &lines[50..]].concat(), &[(Fault::Gap, 21)]);
    assert_eq!(gap, "events 21 to 50 are missing: after 20 comes 51");
    let moved = [&lines[..20], &lines[50..], &lines[20..50]].concat();
    first_problem(moved, &[(Fault::Reorder, 21)]);
    let some_moved = [&lines[..20], &lines[50..], &lines[30..40]].concat();
    first_problem(some_moved, &[(Fault::Reorder, 21), (Fault::Gap, 21), (Fault::Gap, 41)]);
    let backwards: Vec<_> = lines.iter().rev().cloned().collect();
    first_problem(backwards, &[(Fault::Reorder, 1)]);
    let two_again = [&lines[..50], &lines[9..10], &lines[29..30], &lines[50..]].concat();
    first_problem(two_again, &[(Fault::Repeat, 10), (Fault::Repeat, 30)]);
    let gone_and_again = [&lines[..20], &lines[22..50], &lines[29..30], &lines[50..]].concat();
    first_problem(gone_and_again, &[(Fault::Gap, 21), (Fault::Repeat, 30)]);
    // Lines that cannot be read may be the missing ones.
    let mut lost = lines.clone();
    lost[4..7].fill("?".into());
    first_problem(lost, &[(Fault::Unreadable, 5); 3]);
    // Every hash anew, signed by nobody: told at the first signature only.
    let mut anew = Ledger::default();
    anew.grow(100, &mut Dice(9), Signer::Them);
    first_problem(anew.lines, &[(Fault::Swapped, 30)]);
}

#[test]
fn a_hundred_problems_are_listed_and_the_others_counted() {
    let mut ledger = Ledger::of(600);
    for line in ledger.lines.iter_mut().step_by(2) {
        *line = line.replace("line ", "lime ");
    }
    let report = ledger.report();
    assert_eq!((report.problems.len(), report.more_problems, report.first_bad_seq), (100, 200, Some(1)));
}

#[test]
fn later_kinds_and_layouts_are_kept_and_counted() {
    let mut head = Head::start(RUN);
    let mut lines = String::new();
    for (kind, payload) in [
        ("note", json!({"v": 1, "text": "a"})),
        ("painted", json!({"v": 1, "colour": "red"})),
        ("note", json!({"v": 2, "text": ["b"]})),
        ("note", json!({"v": 12, "text": "{\"v\":1}", "z": {"v": 1}})),
    ] {
        let (body, after) = head.append(RUN, kind, at(0), payload);
        head = after;
        lines += &(to_line(&body, head.hash) + "\n");
    }
    let report = check(lines.as_bytes(), Verifier::new(Some(RUN), &[]));
    assert!(report.ok);
    let unknown: Vec<_> = report.unknown.into_iter().collect();
    assert_eq!(unknown, [("note".to_owned(), 2), ("painted".to_owned(), 1)]);
}

#[test]
fn checkpoints_of_other_runs_and_of_the_future_of_a_check_do_not_matter() {
    let ledger = Ledger::of(40);
    let head = ledger.head(30);
    let theirs = Checkpoint { run: crate::good::OTHER, seq: Seq(10), hash: Hash::of(b"x"), at: at(0) };
    let marks: Vec<_> = ledger.marks.iter().map(|(mark, _)| *mark).chain([theirs]).collect();
    for run in [Some(RUN), None] {
        let report = check(&ledger.file(), Verifier::new(run, &marks));
        assert!(report.ok, "{:?}", report.problems);
        assert_eq!(report.covered_to, 40);
    }
    // A check that was stopped misses nothing beyond.
    let mut stopped = Verifier::new(Some(RUN), &marks);
    for line in &ledger.lines[..35] {
        stopped.event(None, &parse_line(line.as_bytes()).unwrap());
    }
    let report = stopped.stopped().finish();
    assert!(report.ok, "{:?}", report.problems);
    assert_eq!((report.events, report.covered_to), (35, 30));
    // A check that goes on behind an earlier one.
    let rest = Ledger { lines: ledger.lines[30..].to_vec(), marks: Vec::new() };
    let report = check(&rest.file(), Verifier::new(Some(RUN), &marks).behind(head.seq, head.hash));
    assert!(report.ok, "{:?}", report.problems);
    assert_eq!((report.events, report.covered_to), (40, 40));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// No false alarm: other spellings of the same JSON are the same events.
    #[test]
    fn good_ledgers_are_good_in_any_spelling(seed in any::<u64>(), spelling in 0..4) {
        let ledger = Ledger::good(&mut Dice(seed));
        let respell = |line: &String| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            let mut members: Vec<_> = value.as_object().unwrap().clone().into_iter().collect();
            members.reverse();
            let map: serde_json::Map<_, _> = members.into_iter().collect();
            match spelling {
                0 => line.clone(),
                1 => serde_json::to_string(&map).unwrap(),
                2 => serde_json::to_string_pretty(&map).unwrap().replace('\n', "\r"),
                _ => line.replace('é', "\\u00E9").replace("\"seq\"", "\t\"\\u0073eq\" "),
            }
        };
        let lines = ledger.lines.iter().map(respell).collect();
        let found = Ledger { lines, marks: ledger.marks.clone() }.report();
        prop_assert!(found.ok, "{:?}", found.problems);
        prop_assert_eq!(found.covered_to, ledger.lines.len() as u64);
    }
}
