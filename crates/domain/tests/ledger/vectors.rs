//! What a stranger's file may hold, as test vectors: `tests/vectors/<name>.jsonl`, the checkpoints beside
//! some of them, and in `expected.json` the verdict on each. `ACCEPT=1` writes them anew.

use crate::good::{Ledger, OTHER, RUN, Signer, at, check_files};
use domain::ledger::{Fault, Head, Report, to_line};
use serde_json::{Value, json};
use std::path::PathBuf;

pub(crate) struct Vector {
    pub(crate) name: &'static str,
    pub(crate) file: Vec<u8>,
    pub(crate) marks: Option<Vec<u8>>,
    /// Whose ledger it must be.
    pub(crate) run: Option<String>,
    events: u64,
    covered_to: u64,
    /// Each with its seq and its line.
    problems: Vec<(Fault, Option<u64>, Option<u64>)>,
}

impl Vector {
    fn new(name: &'static str, file: impl Into<Vec<u8>>, events: u64) -> Vector {
        let (marks, run, problems) = (None, None, Vec::new());
        Vector { name, file: file.into(), marks, run, events, covered_to: 0, problems }
    }

    fn marks(self, marks: Vec<u8>, covered_to: u64) -> Vector {
        Vector { marks: Some(marks), covered_to, ..self }
    }

    fn of(self, run: &str) -> Vector {
        Vector { run: Some(run.to_owned()), ..self }
    }

    fn bad(mut self, fault: Fault, seq: u64, line: u64) -> Vector {
        self.problems.push((fault, Some(seq), Some(line)));
        self
    }

    /// Wrong as a whole, or from `seq` on: no line is to blame.
    fn lacks(mut self, fault: Fault, seq: impl Into<Option<u64>>) -> Vector {
        self.problems.push((fault, seq.into(), None));
        self
    }

    pub(crate) fn report(&self) -> Report {
        check_files(&self.file, self.marks.as_deref(), self.run.as_deref())
    }
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn plain(seq: u64, payload: &str) -> String {
    format!(
        r#"{{"seq":{seq},"run_id":"demo-001","kind":"note","at":"2026-01-01T00:00:00.123456+00:00","payload":{payload}}}"#
    )
}

/// A ledger with one edit to its lines.
fn edited(n: u64, edit: impl FnOnce(&mut Vec<String>)) -> String {
    let mut lines = Ledger::of(n).lines;
    edit(&mut lines);
    joined(&lines)
}

fn payloads(payloads: &[(&str, Value)]) -> String {
    let mut head = Head::start(RUN);
    let lines = payloads.iter().map(|(kind, payload)| {
        let (body, after) = head.append(RUN, kind, at(0), payload.clone());
        head = after;
        to_line(&body, head.hash) + "\n"
    });
    lines.collect()
}

fn spellings() -> Vec<Vector> {
    let good = joined(&Ledger::of(3).lines);
    let respelled = edited(3, |lines| {
        lines[1] = lines[1].replace(r#"{"at":"#, r#" { "\u0061t" :  "#).replace('é', "\\u00e9");
        let (head, tail) = lines[2].split_at(lines[2].find(",\"prev\"").unwrap());
        lines[2] = format!("{{{},{}}}", &tail[1..tail.len() - 1], &head[1..]);
    });
    let numbers = json!({"v": 1, "n": [0, -1, 0.5, 1e21, 1e-7, 5e-324, 1.797_693_134_862_315_7e308, 333_333_333.333_333_3, 1e20,
        9_007_199_254_740_992_u64, -0.25, 1.5e-9]});
    let texts = json!({"v": 1, "\u{fb33}": 6, "\u{1F600}": "\u{7f}\u{2028}", "é": "\u{0}\u{1}\u{1f}\u{8}\t\n\u{c}\r\"\\/", "": [[], {}]});
    vec![
        Vector::new("sound", good.clone(), 3),
        Vector::new("other_spelling", respelled, 3),
        Vector::new("numbers_and_texts", payloads(&[("note", numbers), ("note", texts)]), 2),
        Vector::new(
            "greater_than_exact",
            payloads(&[("note", json!({"v": 1, "n": 9_007_199_254_740_993_u64}))]),
            1,
        ),
        Vector::new(
            "later_program",
            payloads(&[("painted", json!({"v": 1, "colour": "red"})), ("note", json!({"v": 7}))]),
            2,
        ),
        Vector::new("windows", format!("\u{feff}{}", good.replace('\n', "\r\n")), 3),
        Vector::new("no_last_end", good.trim_end(), 3),
        Vector::new("blank_lines", format!("\n{}\n \t\n", good.replace('\n', "\n\n")), 3),
        Vector::new("plain", joined(&[plain(1, "{}"), plain(2, "null"), plain(3, "{\"v\":9}")]), 3),
    ]
}

fn unreadable() -> Vec<Vector> {
    let bad = |name, line: &str| {
        Vector::new(name, edited(4, |lines| lines[1] = line.to_owned()), 3).bad(Fault::Unreadable, 2, 2)
    };
    let of = |name, payload: &str| {
        Vector::new(name, joined(&[plain(1, "{}"), plain(2, payload), plain(3, "{}")]), 2).bad(
            Fault::Unreadable,
            2,
            2,
        )
    };
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    vec![
        Vector::new("empty", "", 0).lacks(Fault::Empty, None),
        Vector::new("only_blank", "\u{feff}\r\n\n", 0).lacks(Fault::Empty, None),
        Vector::new("no_ledger", "# Notes\nto myself\n", 0)
            .bad(Fault::Unreadable, 1, 1)
            .bad(Fault::Unreadable, 1, 2)
            .lacks(Fault::Empty, None),
        Vector::new("truncated", edited(3, |lines| lines[2].truncate(90)).trim_end(), 2).bad(
            Fault::Truncated,
            3,
            3,
        ),
        bad("broken_line", "{\"seq\":"),
        bad("no_object", "[1,2]"),
        bad("member_missing", r#"{"seq":2,"kind":"note","at":"2026-01-01T00:00:00Z","payload":{}}"#),
        bad("half_a_link", &plain(2, "{}").replace("\"seq\"", "\"hash\":\"00\",\"seq\"")),
        Vector::new(
            "upper_case_hash",
            edited(4, |lines| lines[1] = lines[1].replace("\"hash\":\"", "\"hash\":\"A")),
            3,
        )
        .bad(Fault::Unreadable, 2, 2),
        Vector::new("nul", edited(3, |lines| lines[1].insert(150, '\0')), 2).bad(Fault::Encoding, 2, 2),
        Vector::new("not_utf8", [joined(&Ledger::of(1).lines).as_bytes(), b"{\"a\":\"\xff\"}\n"].concat(), 1)
            .bad(Fault::Encoding, 2, 2),
        Vector::new("three_lost", edited(7, |lines| lines[1..4].fill("?".into())), 4)
            .bad(Fault::Unreadable, 2, 2)
            .bad(Fault::Unreadable, 2, 3)
            .bad(Fault::Unreadable, 2, 4),
        of("a_name_twice", r#"{"a":1,"\u0061":2}"#),
        of("half_a_surrogate", r#"{"a":"\ud800"}"#),
        of("no_number", "NaN"),
        of("number_too_great", "1e400"),
        of("nested_too_deep", &deep(127)),
        Vector::new("nested_deep", joined(&[plain(1, "{}"), plain(2, &deep(126))]), 2),
        of("nested_beyond_all", &deep(100_000)),
    ]
}

fn out_of_order() -> Vec<Vector> {
    let lines = Ledger::of(9).lines;
    let foreign = {
        let (body, head) = Head::start(OTHER).append(OTHER, "note", at(0), json!({"v": 1, "text": "x"}));
        to_line(&body, head.hash)
    };
    let with = |places: &[usize]| joined(&places.iter().map(|n| lines[n - 1].clone()).collect::<Vec<_>>());
    let seq = |seq: &str| {
        format!("{}\n{}\n", plain(1, "{}"), plain(2, "{}").replace("\"seq\":2", &format!("\"seq\":{seq}")))
    };
    vec![
        Vector::new("starts_at_2", with(&[2, 3, 4]), 3).bad(Fault::Gap, 1, 1),
        Vector::new("gap", with(&[1, 2, 6, 7]), 4).bad(Fault::Gap, 3, 3),
        Vector::new("two_files_of_one_run", with(&[1, 2, 3, 1, 2, 3, 4]), 7).bad(Fault::Repeat, 1, 4),
        Vector::new("repeats_apart", with(&[1, 2, 3, 1, 4, 2, 5]), 7).bad(Fault::Repeat, 1, 4).bad(
            Fault::Repeat,
            2,
            6,
        ),
        Vector::new("swapped_lines", with(&[1, 3, 2, 4]), 4).bad(Fault::Reorder, 2, 2),
        Vector::new("moved_and_missing", with(&[1, 7, 8, 3, 4, 9]), 6)
            .bad(Fault::Reorder, 2, 2)
            .lacks(Fault::Gap, 2)
            .lacks(Fault::Gap, 5),
        Vector::new(
            "foreign_event",
            joined(&[&lines[..2], std::slice::from_ref(&foreign), &lines[2..4]].concat()),
            5,
        )
        .bad(Fault::ForeignRun, 3, 3),
        Vector::new("foreign_folder", with(&[1, 2, 3]), 3).of(&OTHER.to_string()).bad(
            Fault::ForeignRun,
            1,
            1,
        ),
        Vector::new("foreign_plain", joined(&[plain(1, "{}"), plain(2, "{}")]), 2).of("demo-002").bad(
            Fault::ForeignRun,
            1,
            1,
        ),
        Vector::new("in_its_folder", with(&[1, 2, 3]), 3).of(&RUN.to_string()),
        Vector::new("plain_gap", joined(&[plain(1, "{}"), plain(3, "{}")]), 2).bad(Fault::Gap, 2, 2),
        Vector::new(
            "mixed",
            joined(&[lines[0].clone(), plain(2, "{}").replace("demo-001", &RUN.to_string())]),
            2,
        )
        .bad(Fault::Mixed, 2, 2),
        Vector::new("seq_0", seq("0"), 1).bad(Fault::Unreadable, 2, 2),
        Vector::new("seq_is_a_fraction", seq("2.0"), 1).bad(Fault::Unreadable, 2, 2),
        Vector::new("seq_beyond_exact", seq("9007199254740993"), 1).bad(Fault::Unreadable, 2, 2),
        Vector::new("seq_far_away", seq("9007199254740992"), 2).bad(Fault::Gap, 2, 2),
    ]
}

fn changed() -> Vec<Vector> {
    let ledger = Ledger::of(5);
    let marks = |ledger: &Ledger| ledger.marks_file();
    let altered = |lines: &mut Vec<String>| lines[2] = lines[2].replace("line 2", "lime 2");
    let mut theirs = Ledger::default();
    theirs.grow(5, &mut crate::good::Dice(99), Signer::Us);
    let mut forged = ledger.clone();
    forged.marks = vec![(ledger.marks[0].0, Signer::Them)];
    let forged_mark = String::from_utf8(marks(&ledger)).unwrap().replace("\"seq\":5", "\"seq\":4");
    let rehashed = {
        let head = Head { hash: domain::ledger::Hash::of(b"another past"), ..ledger.head(2) };
        let (body, after) = head.append(RUN, "note", at(0), json!({"v": 1, "text": "x"}));
        let (next, last) = after.append(RUN, "note", at(0), json!({"v": 1, "text": "y"}));
        [joined(&ledger.lines[..2]), to_line(&body, after.hash) + "\n", to_line(&next, last.hash) + "\n"]
            .concat()
    };
    vec![
        Vector::new("signed", ledger.file(), 5).marks(marks(&ledger), 5),
        Vector::new("signed_in_part", Ledger::of(40).file(), 40).marks(marks(&Ledger::of(30)), 30),
        Vector::new("altered", edited(5, altered), 5).bad(Fault::Altered, 3, 3),
        Vector::new("altered_and_signed", edited(5, altered), 5).marks(marks(&ledger), 0).bad(
            Fault::Altered,
            3,
            3,
        ),
        Vector::new(
            "altered_prev",
            edited(5, |lines| lines[3] = lines[3].replace("prev\":\"", "prev\":\"0")),
            4,
        )
        .bad(Fault::Unreadable, 4, 4),
        Vector::new("unlinked", rehashed, 4).bad(Fault::Unlinked, 3, 3),
        Vector::new("cut_tail", joined(&ledger.lines[..3]), 3)
            .marks(marks(&ledger), 0)
            .lacks(Fault::CutTail, 4),
        Vector::new("swapped_file", theirs.file(), 5).marks(marks(&ledger), 0).bad(Fault::Swapped, 5, 5),
        Vector::new("two_futures_signed", ledger.file(), 5)
            .marks([marks(&theirs), marks(&ledger)].concat(), 0)
            .bad(Fault::Swapped, 5, 5),
        Vector::new("forged_signature", ledger.file(), 5)
            .marks(forged_mark.into(), 0)
            .lacks(Fault::Checkpoint, None),
        Vector::new("another_key", ledger.file(), 5).marks(marks(&forged), 0).lacks(Fault::Checkpoint, None),
        Vector::new("checkpoints_unreadable", ledger.file(), 5)
            .marks([b"\xff\n{}\n\n".to_vec(), marks(&ledger)].concat(), 5)
            .lacks(Fault::Checkpoint, None)
            .lacks(Fault::Checkpoint, None),
    ]
}

pub(crate) fn all() -> Vec<Vector> {
    [spellings(), unreadable(), out_of_order(), changed()].into_iter().flatten().collect()
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

/// The verdict as both verifiers must give it; the words are each one's own.
pub(crate) fn verdict(report: &Report) -> Value {
    let problems = report.problems.iter().map(|problem| {
        let mut told = json!({"kind": problem.fault.as_str()});
        for (name, value) in [("seq", problem.seq), ("line", problem.line)] {
            if let Some(value) = value {
                told[name] = value.into();
            }
        }
        told
    });
    let mut verdict = json!({
        "ok": report.ok, "events": report.events, "chained": report.chained, "covered_to": report.covered_to,
        "problems": in_order(problems.collect()),
    });
    if let Some(first) = report.first_bad_seq {
        verdict["first_bad_seq"] = first.into();
    }
    verdict
}

/// Problems that begin at one event may be told in any order.
pub(crate) fn in_order(mut problems: Vec<Value>) -> Vec<Value> {
    problems.sort_by_key(|problem| {
        let number = |name: &str| problem[name].as_u64().unwrap_or(u64::MAX);
        (number("seq"), number("line"), problem["kind"].to_string())
    });
    problems
}

#[test]
fn every_file_has_its_verdict_and_nothing_aborts_the_rest() {
    let accept = std::env::var_os("ACCEPT").is_some();
    let mut expected = serde_json::Map::new();
    for vector in all() {
        let report = vector.report();
        let found: Vec<_> = report.problems.iter().map(|p| (p.fault, p.seq, p.line)).collect();
        assert_eq!(found, vector.problems, "{}: {:?}", vector.name, report.problems);
        assert_eq!((report.events, report.covered_to), (vector.events, vector.covered_to), "{}", vector.name);
        let mut entry = verdict(&report);
        if let Some(run) = &vector.run {
            entry["run"] = run.as_str().into();
        }
        expected.insert(vector.name.to_owned(), entry);
        let marks = vector.marks.as_ref().map(|marks| (format!("{}.checkpoints.jsonl", vector.name), marks));
        for (name, bytes) in [(format!("{}.jsonl", vector.name), &vector.file)].into_iter().chain(marks) {
            if accept {
                std::fs::write(folder().join(&name), bytes).unwrap();
            }
            assert_eq!(&std::fs::read(folder().join(&name)).unwrap(), bytes, "{name} is not what it was");
        }
    }
    let expected = serde_json::to_string_pretty(&expected).unwrap() + "\n";
    if accept {
        std::fs::write(folder().join("expected.json"), &expected).unwrap();
    }
    assert_eq!(std::fs::read_to_string(folder().join("expected.json")).unwrap(), expected);
}
