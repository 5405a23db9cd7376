//! Whatever is done to a ledger file is found, and the first bad event is named; a good ledger is
//! never called bad. Each kind of tampering is tried with a hundred seeds.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

use domain::ledger::{Checkpoint, Fault, Head, Key, Report, Verifier, parse_line, to_line};
use domain::{RunId, Seq, Timestamp};
use serde_json::json;
use uuid::Uuid;

const RUN: RunId = RunId(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0007));

/// A small generator of numbers that only depend on the seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

struct Ledger {
    lines: Vec<String>,
    checkpoints: Vec<Checkpoint>,
}

fn at(n: u64) -> Timestamp {
    Timestamp::from_unix_ms(1_796_040_000_000 + i64::try_from(n).unwrap() * 1_000)
}

/// Events from `head` on, a checkpoint after every hundredth and at the end.
fn grow(ledger: &mut Ledger, mut head: Head, to: u64, dice: &mut Dice) {
    while head.seq.0 < to {
        let text = format!("line {} — \"é漢\" {}", head.seq.0, "x".repeat(dice.below(200)));
        let (body, after) =
            head.append(RUN, "note", at(head.seq.0), json!({"v": 1, "text": text, "n": dice.below(1_000)}));
        head = after;
        ledger.lines.push(to_line(&body, head.hash));
        if head.seq.0.is_multiple_of(100) || head.seq.0 == to {
            ledger.checkpoints.push(Checkpoint { run: RUN, seq: head.seq, hash: head.hash, at: at(0) });
        }
    }
}

fn good(dice: &mut Dice) -> Ledger {
    let mut ledger = Ledger { lines: Vec::new(), checkpoints: Vec::new() };
    let to = 110 + dice.below(250) as u64;
    grow(&mut ledger, Head::start(RUN), to, dice);
    ledger
}

fn report(lines: &[String], checkpoints: &[Checkpoint]) -> Report {
    let mut verifier = Verifier::new(Some(RUN), checkpoints);
    for (i, line) in lines.iter().enumerate() {
        let place = i as u64 + 1;
        match parse_line(line.as_bytes()) {
            Ok(parsed) => verifier.event(Some(place), &parsed),
            Err(why) => verifier.unreadable(place, &why, false),
        }
    }
    verifier.finish()
}

/// The head after the first `n` lines.
fn head_after(lines: &[String], n: usize) -> Head {
    match n {
        0 => Head::start(RUN),
        n => {
            let parsed = parse_line(lines[n - 1].as_bytes()).unwrap();
            Head { seq: Seq(parsed.seq), hash: parsed.link.unwrap().written }
        }
    }
}

/// Tampers a hundred times; `tamper` gives the first seq that can be known to be bad and what is wrong there.
fn check(kind: &str, tamper: impl Fn(&mut Ledger, &mut Dice) -> (u64, &'static [Fault])) {
    for seed in 0..100 {
        let mut dice = Dice(seed);
        let mut ledger = good(&mut dice);
        let sound = report(&ledger.lines, &ledger.checkpoints);
        assert!(sound.ok, "{kind} {seed}: a false alarm: {:?}", sound.problems);
        assert_eq!(sound.covered_to, ledger.lines.len() as u64);
        let (first, faults) = tamper(&mut ledger, &mut dice);
        let found = report(&ledger.lines, &ledger.checkpoints);
        assert!(!found.ok, "{kind} {seed}: not found");
        assert_eq!(found.first_bad_seq, Some(first), "{kind} {seed}: {:?}", found.problems);
        let fault = found.problems.iter().find(|problem| problem.seq == Some(first)).unwrap().fault;
        assert!(faults.contains(&fault), "{kind} {seed}: {fault:?}");
        assert!(found.problems.len() <= 4, "{kind} {seed}: one act, few problems: {:?}", found.problems);
    }
}

#[test]
fn an_edited_byte() {
    check("edit", |ledger, dice| {
        let i = dice.below(ledger.lines.len());
        let mut bytes = ledger.lines[i].clone().into_bytes();
        // Within the payload, past the words that every line has.
        let place = bytes.windows(9).position(|w| w == b"\"payload\"").unwrap() + 12;
        let end = bytes.windows(8).rposition(|w| w == b",\"prev\":").unwrap();
        let byte = place + dice.below(end - place);
        bytes[byte] = if bytes[byte] == b'q' { b'r' } else { b'q' };
        ledger.lines[i] = String::from_utf8_lossy(&bytes).into_owned();
        (i as u64 + 1, &[Fault::Altered, Fault::Unreadable])
    });
}

#[test]
fn a_deleted_event() {
    check("delete", |ledger, dice| {
        let i = dice.below(ledger.lines.len() - 1);
        ledger.lines.remove(i);
        (i as u64 + 1, &[Fault::Gap])
    });
}

#[test]
fn an_inserted_event() {
    check("insert", |ledger, dice| {
        let i = dice.below(ledger.lines.len() - 1);
        let head = head_after(&ledger.lines, i);
        let (body, after) = head.append(RUN, "note", at(0), json!({"v": 1, "text": "I was always here"}));
        ledger.lines.insert(i, to_line(&body, after.hash));
        (i as u64 + 1, &[Fault::Repeat, Fault::Swapped])
    });
}

#[test]
fn two_events_in_the_other_order() {
    check("swap", |ledger, dice| {
        let i = dice.below(ledger.lines.len() - 1);
        ledger.lines.swap(i, i + 1);
        (i as u64 + 1, &[Fault::Reorder])
    });
}

#[test]
fn a_tail_that_was_cut() {
    check("cut", |ledger, dice| {
        let keep = 1 + dice.below(ledger.lines.len() - 1);
        ledger.lines.truncate(keep);
        (keep as u64 + 1, &[Fault::CutTail])
    });
}

/// An old copy was put back, and the run went on from there.
#[test]
fn a_restored_copy_with_another_future() {
    check("restore", |ledger, dice| {
        let keep = dice.below(ledger.lines.len());
        let signed = ledger.checkpoints.clone();
        let to = ledger.lines.len() as u64;
        ledger.lines.truncate(keep);
        let head = head_after(&ledger.lines, keep);
        grow(ledger, head, to, &mut Dice(dice.0 ^ 1));
        let first = signed.iter().find(|mark| mark.seq.0 > keep as u64).unwrap().seq.0;
        ledger.checkpoints = signed;
        (first, &[Fault::Swapped])
    });
}

/// Everything from one event on was hashed anew, and signed with another key: the old signatures,
/// which are kept elsewhere, are the ones that count.
#[test]
fn a_record_that_was_made_anew_with_another_key() {
    let (ours, theirs) = (Key::from_secret(&[1; 32]), Key::from_secret(&[2; 32]));
    check("replace", |ledger, dice| {
        let keep = dice.below(ledger.lines.len());
        let signed: Vec<_> = ledger.checkpoints.iter().map(|mark| (*mark, mark.sign(&ours))).collect();
        let to = ledger.lines.len() as u64;
        ledger.lines.truncate(keep);
        let head = head_after(&ledger.lines, keep);
        ledger.checkpoints.clear();
        grow(ledger, head, to, &mut Dice(dice.0 ^ 2));
        let forged: Vec<_> = ledger.checkpoints.iter().map(|mark| (*mark, mark.sign(&theirs))).collect();
        // Whoever checks has both; only what our key signed is believed.
        let believed =
            signed.into_iter().chain(forged).filter(|(mark, sig)| mark.is_signed(&ours.public(), sig));
        ledger.checkpoints = believed.map(|(mark, _)| mark).collect();
        let first = ledger.checkpoints.iter().find(|mark| mark.seq.0 > keep as u64).unwrap().seq.0;
        (first, &[Fault::Swapped])
    });
}

/// The second verifier, which knows only the page that describes the format, says the same.
#[test]
fn the_verifier_in_python_agrees() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no python3 here");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut ours = Vec::new();
    for seed in 0..25 {
        for act in 0..8 {
            let mut dice = Dice(seed * 8 + act);
            let mut ledger = good(&mut dice);
            let i = dice.below(ledger.lines.len() - 1);
            let head = head_after(&ledger.lines, i);
            match act {
                0 => {}
                1 => ledger.lines[i] = ledger.lines[i].replace("line ", "lime "),
                2 => drop(ledger.lines.remove(i)),
                3 => {
                    let (body, after) = head.append(RUN, "note", at(0), json!({"v": 1, "text": "forged"}));
                    ledger.lines.insert(i, to_line(&body, after.hash));
                }
                4 => ledger.lines.swap(i, i + 1),
                5 => ledger.lines.truncate(i + 1),
                6 => {
                    let (signed, to) = (ledger.checkpoints.clone(), ledger.lines.len() as u64);
                    ledger.lines.truncate(i);
                    grow(&mut ledger, head, to, &mut Dice(dice.0 ^ 1));
                    ledger.checkpoints = signed;
                }
                _ => ledger.lines[i].truncate(70),
            }
            let name = format!("{:04}", seed * 8 + act);
            std::fs::write(dir.path().join(format!("{name}.jsonl")), ledger.lines.join("\n") + "\n").unwrap();
            let marks: Vec<_> = ledger.checkpoints.iter().map(|m| json!([m.seq.0, m.hash.hex()])).collect();
            std::fs::write(dir.path().join(format!("{name}.marks")), json!(marks).to_string()).unwrap();
            let found = report(&ledger.lines, &ledger.checkpoints);
            let kinds: Vec<_> = found.problems.iter().map(|p| p.fault.as_str()).collect();
            ours.push(json!([name, found.ok, found.events, found.first_bad_seq, found.covered_to, kinds]));
        }
    }
    let script = "
import glob, json, sys
sys.path.insert(0, sys.argv[1])
import verify
for path in sorted(glob.glob(sys.argv[2] + '/*.jsonl')):
    v = verify.Verifier(dict(json.load(open(path[:-5] + 'marks'))))
    for number, line in enumerate(open(path, 'rb'), 1):
        try: v.event(number, *verify.parse(line.rstrip(b'\\n')))
        except ValueError as why: v.unreadable(number, why, False)
    r = v.report()
    print(json.dumps([path[-10:-6], r['ok'], r['events'], r.get('first_bad_seq'), r['covered_to'], [p['kind'] for p in r['problems']]]))
";
    let run = std::process::Command::new("python3")
        .args(["-B", "-c", script, docs])
        .arg(dir.path())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let theirs: Vec<serde_json::Value> = String::from_utf8_lossy(&run.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(theirs.len(), 200);
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs);
    }
}

/// Other spellings of the same JSON are the same events.
#[test]
fn a_ledger_in_another_spelling_is_as_good() {
    for seed in 0..20 {
        let mut dice = Dice(seed);
        let ledger = good(&mut dice);
        let respelled: Vec<String> = ledger
            .lines
            .iter()
            .map(|line| {
                let value: serde_json::Value = serde_json::from_str(line).unwrap();
                let mut members: Vec<_> = value.as_object().unwrap().clone().into_iter().collect();
                members.reverse();
                let map: serde_json::Map<_, _> = members.into_iter().collect();
                serde_json::to_string_pretty(&map).unwrap().replace('\n', " ")
            })
            .collect();
        let found = report(&respelled, &ledger.checkpoints);
        assert!(found.ok, "{:?}", found.problems);
        assert_eq!(found.covered_to, ledger.lines.len() as u64);
    }
}

/// What a stranger's file may hold.
#[test]
fn bad_input_is_named_and_nothing_aborts_the_rest() {
    let ledger = good(&mut Dice(7));
    let first = |n: usize| ledger.lines[..n].to_vec();
    let plain = |seq: u64| {
        format!(
            "{{\"seq\":{seq},\"run_id\":\"demo-001\",\"kind\":\"note\",\"at\":\"2026-01-01T00:00:00.123456+00:00\",\"payload\":{{}}}}"
        )
    };
    let check = |name: &str, lines: &[String], expected: &[(Fault, Option<u64>)], events: u64| {
        let own = !lines.iter().any(|line| line.contains("demo"));
        let mut verifier = Verifier::new(own.then_some(RUN), &[]);
        for (i, line) in lines.iter().enumerate() {
            match parse_line(line.as_bytes()) {
                Ok(parsed) => verifier.event(Some(i as u64 + 1), &parsed),
                Err(why) => verifier.unreadable(i as u64 + 1, &why, i + 1 == lines.len()),
            }
        }
        let report = verifier.finish();
        let found: Vec<_> = report.problems.iter().map(|p| (p.fault, p.line)).collect();
        assert_eq!(found, expected, "{name}: {:?}", report.problems);
        assert_eq!(report.events, events, "{name}");
    };
    check("empty", &[], &[(Fault::Empty, None)], 0);
    let mut cut = first(3);
    cut[2].truncate(60);
    check("a cut line", &cut, &[(Fault::Truncated, Some(3))], 2);
    let mut broken = first(4);
    broken[1] = "{\"seq\":".into();
    check("a broken line", &broken, &[(Fault::Unreadable, Some(2))], 3);
    let mut nul = first(3);
    nul[1].insert(40, '\0');
    check("a NUL", &nul, &[(Fault::Unreadable, Some(2))], 2);
    let from_two = ledger.lines[1..4].to_vec();
    check("seq starts at 2", &from_two, &[(Fault::Gap, Some(1))], 3);
    let mut twice = first(2);
    twice.extend(first(2));
    check("two files of one run", &twice, &[(Fault::Repeat, Some(3)), (Fault::Repeat, Some(4))], 4);
    let other = Head::start(RunId(Uuid::from_u128(9))).append(
        RunId(Uuid::from_u128(9)),
        "note",
        at(0),
        json!({"v": 1, "text": "x"}),
    );
    let mut foreign = first(2);
    foreign.push(to_line(&other.0, other.1.hash));
    check("an event of another run", &foreign, &[(Fault::ForeignRun, Some(3))], 3);
    check("a plain ledger", &[plain(1), plain(2)], &[], 2);
    check("a plain ledger with a gap", &[plain(1), plain(3)], &[(Fault::Gap, Some(2))], 2);
    let mut mixed = vec![plain(1)];
    mixed.push(plain(2).replace("\"seq\"", "\"hash\":\"00\",\"seq\""));
    check("half a chain", &mixed, &[(Fault::Truncated, Some(2))], 1);
    check("no event", &["[1,2]".to_owned(), plain(1)], &[(Fault::Unreadable, Some(1))], 1);
}

#[test]
fn later_kinds_and_layouts_are_kept_and_counted() {
    let mut head = Head::start(RUN);
    let mut verifier = Verifier::new(Some(RUN), &[]);
    for (kind, payload) in [
        ("note", json!({"v": 1, "text": "a"})),
        ("painted", json!({"v": 1, "colour": "red"})),
        ("note", json!({"v": 2, "text": ["b"]})),
    ] {
        let (body, after) = head.append(RUN, kind, at(0), payload);
        head = after;
        let line = to_line(&body, head.hash);
        verifier.event(None, &parse_line(line.as_bytes()).unwrap());
    }
    let report = verifier.finish();
    assert!(report.ok);
    assert_eq!(
        report.unknown.into_iter().collect::<Vec<_>>(),
        [("note".to_owned(), 1), ("painted".to_owned(), 1)]
    );
}
