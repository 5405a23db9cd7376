//! The second verifier comes to the same verdicts: `docs/verify.py`, as a stranger runs it.

use crate::good::{Dice, Ledger, RUN, Signer, check_files};
use crate::tampering::ACTS;
use crate::vectors::{self, in_order, verdict};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok_and(|out| out.status.success());
    if !found {
        eprintln!("SKIPPED: there is no python3, so the second verifier was not tried");
    }
    found
}

/// Signatures can only be compared where Python can check them.
fn can_check_signatures() -> bool {
    let tried = Command::new("python3").args(["-c", "import cryptography"]).output();
    let can = tried.is_ok_and(|out| out.status.success());
    if !can {
        eprintln!(
            "SKIPPED IN PART: Python has no module cryptography, so files with checkpoints were not compared"
        );
    }
    can
}

/// What it says, in our form, and its exit code.
fn ask(file: &Path, marks: Option<&Path>) -> (Value, i32) {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/verify.py");
    let mut command = Command::new("python3");
    command.arg(script).arg(file).arg("--json").args(["--key", &Signer::Us.key().public().hex()]);
    if let Some(marks) = marks {
        command.arg("--checkpoints").arg(marks);
    }
    let out = command.output().unwrap();
    let said: Value = serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|_| panic!("{}: {}", file.display(), String::from_utf8_lossy(&out.stderr)));
    let problems = said["problems"].as_array().unwrap().iter().map(|problem| {
        let members = problem.as_object().unwrap().iter();
        members
            .filter(|(name, _)| ["kind", "seq", "line"].contains(&name.as_str()))
            .map(|(n, v)| (n.clone(), v.clone()))
            .collect()
    });
    let mut told = json!({
        "ok": said["ok"], "events": said["events"], "chained": said["chained"], "covered_to": said["covered_to"],
        "problems": in_order(problems.map(Value::Object).collect()),
    });
    if !said["first_bad_seq"].is_null() {
        told["first_bad_seq"] = said["first_bad_seq"].clone();
    }
    (told, out.status.code().unwrap())
}

fn compare(name: &str, folder: &Path, file: &[u8], marks: Option<&[u8]>, run: Option<&str>) {
    // A run's own folder says whose ledger it must be.
    let place = match run {
        Some(run) => folder.join("runs").join(run),
        None => folder.join(name.replace(' ', "_")),
    };
    std::fs::create_dir_all(&place).unwrap();
    let path = place.join(if run.is_some() { "events.jsonl" } else { "some.jsonl" });
    std::fs::write(&path, file).unwrap();
    let marks_path = place.join("marks.jsonl");
    if let Some(marks) = marks {
        std::fs::write(&marks_path, marks).unwrap();
    }
    let ours = check_files(file, marks, run);
    let (theirs, code) = ask(&path, marks.is_some().then_some(&marks_path));
    assert_eq!(theirs, verdict(&ours), "{name}: {:#?}", ours.problems);
    let expected = if ours.ok {
        0
    } else if ours.events > 0 {
        1
    } else {
        2
    };
    assert_eq!(code, expected, "{name}");
}

#[test]
fn both_agree_on_every_vector() {
    if !has_python() {
        return;
    }
    let (folder, signatures) = (tempfile::tempdir().unwrap(), can_check_signatures());
    for vector in vectors::all() {
        if vector.marks.is_none() || signatures {
            compare(vector.name, folder.path(), &vector.file, vector.marks.as_deref(), vector.run.as_deref());
        }
    }
}

#[test]
fn both_agree_on_a_hundred_tampered_ledgers() {
    if !has_python() {
        return;
    }
    let (folder, signatures) = (tempfile::tempdir().unwrap(), can_check_signatures());
    let seeds = std::env::var("SEEDS").map_or(100, |seeds| seeds.parse().unwrap());
    for seed in 0..seeds {
        let mut dice = Dice(seed + 1_000_u64);
        let mut ledger = Ledger::good(&mut dice);
        let (name, act) = ACTS[usize::try_from(seed).unwrap() % ACTS.len()];
        act(&mut ledger, &mut dice);
        let (marks, mut file) = (signatures.then(|| ledger.marks_file()), ledger.file());
        // Every second one rots as well: any byte becomes any other.
        for _ in 0..(seed % 2) * 4 {
            let place = dice.below(file.len());
            file[place] = u8::try_from(dice.below(256)).unwrap();
        }
        compare(&format!("{name} {seed}"), folder.path(), &file, marks.as_deref(), None);
    }
}

/// A line far beyond what any event of ours is: read by both; one beyond the limit is named by both.
#[test]
fn both_agree_on_giants() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let lines = Ledger::of(3).lines;
    let giant = |length: usize| {
        format!(
            "{{\"seq\":1,\"run_id\":\"{RUN}\",\"kind\":\"note\",\"at\":\"2026-01-01T00:00:00Z\",\"payload\":\"{}\"}}",
            "x".repeat(length)
        )
    };
    let small = lines[1].replace("\"seq\":2", "\"seq\":7");
    for (name, length, problems) in [("12 MB", 12_000_000, 1), ("beyond the limit", 20_000_000, 1)] {
        let file = format!("{}\n{small}\n{}\n", giant(length), giant(9));
        assert!(check_files(file.as_bytes(), None, None).problems.len() > problems, "{name}");
        compare(name, folder.path(), file.as_bytes(), None, None);
    }
}

#[test]
fn what_is_not_there_is_unreadable() {
    if !has_python() {
        return;
    }
    let (told, code) = ask(Path::new("no/such/file.jsonl"), None);
    assert_eq!((told["ok"].as_bool(), code), (Some(false), 2));
}
