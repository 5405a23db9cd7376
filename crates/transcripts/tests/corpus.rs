//! Real files recorded by others, where they are at hand: every record is accounted for, and mangled
//! copies do no harm.

use domain::fold::{At, Facts};
use domain::{Position, RunId, Seq, Timestamp};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use transcripts::Reading;

fn corpus() -> Option<PathBuf> {
    let named = std::env::var_os("TALLY_CORPUS").map(PathBuf::from);
    let beside = || {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        here.ancestors().map(|folder| folder.join("shared/corpus")).find(|folder| folder.is_dir())
    };
    let found = named.or_else(beside);
    if found.is_none() {
        eprintln!("skipped: no corpus of recorded files here (TALLY_CORPUS names one)");
    }
    found
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, into) } else { into.push(path) }
    }
    into.sort();
}

fn read(bytes: &[u8], piece: usize) -> (Reading, usize) {
    let mut reading = Reading::new(false);
    let mut found = 0;
    for piece in bytes.chunks(piece.max(1)) {
        reading.feed(piece);
        found += reading.take().len();
    }
    reading.end();
    found += reading.take().len();
    (reading, found)
}

fn adds_up(reading: &Reading, what: &str) {
    let tally = reading.tally();
    let skipped: u64 = tally.skipped.values().sum();
    assert_eq!(tally.lines, tally.mapped + skipped + tally.bad_lines, "{what}: {tally:?}");
}

#[test]
fn every_record_of_every_file_is_accounted_for() {
    let Some(corpus) = corpus() else { return };
    let mut all = Vec::new();
    files(&corpus, &mut all);
    let mut formats: BTreeMap<&str, [u64; 6]> = BTreeMap::new();
    for file in &all {
        let bytes = std::fs::read(file).unwrap();
        let (reading, events) = read(&bytes, 64 << 10);
        adds_up(&reading, &file.display().to_string());
        let tally = reading.tally();
        let sums = formats.entry(reading.format().unwrap_or("none")).or_default();
        let skipped: u64 = tally.skipped.values().sum();
        for (sum, more) in
            sums.iter_mut().zip([1, tally.lines, tally.mapped, skipped, tally.bad_lines, events as u64])
        {
            *sum += more;
        }
        let kind = file.parent().and_then(Path::file_name).unwrap().to_str().unwrap();
        let expected = match kind {
            "claude" => "claude-code",
            "codex" => "codex",
            "dsh" => "deepseek-harness",
            "gemini" => "gemini",
            "copilot" => "copilot",
            _ => continue,
        };
        let name = file.file_name().unwrap().to_str().unwrap();
        let others = ["meta.json", "schema-drift", "ryoppippi"];
        if reading.format() != Some(expected) && !others.iter().any(|other| name.contains(other)) {
            eprintln!("{kind}/{name}: {:?} {:?}", reading.format(), tally);
        }
        for (what, times) in tally.notes.iter().filter(|(what, _)| what.contains("not known")) {
            eprintln!("{kind}/{name}: {what} ({times})");
        }
    }
    eprintln!("format: files, records, mapped, skipped, bad, events");
    for (format, sums) in formats {
        eprintln!("{format}: {sums:?}");
    }
}

/// The plan after every record is what the record's own lines say: the last list wins, the start of a
/// turn clears it, its end does not.
#[test]
fn plans_of_deepseek_harness_are_those_its_own_lines_tell() {
    let Some(corpus) = corpus() else { return };
    let mut all = Vec::new();
    files(&corpus.join("dsh"), &mut all);
    let (mut with_plan, mut compared) = (0, 0);
    for file in all {
        let text = std::fs::read_to_string(&file).unwrap();
        let (mut reading, mut facts, mut seq) = (Reading::new(false), Facts::default(), 0);
        let mut own: Vec<(String, String)> = Vec::new();
        for line in text.lines() {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            match record["type"].as_str().unwrap() {
                "turn/start" => own.clear(),
                "todo/write" => {
                    let word = |item: &serde_json::Value, name: &str| item[name].as_str().unwrap().to_owned();
                    let todos = record["data"]["todos"].as_array().unwrap();
                    own = todos.iter().map(|item| (word(item, "content"), word(item, "status"))).collect();
                    with_plan += 1;
                }
                _ => {}
            }
            reading.feed(line.as_bytes());
            reading.feed(b"\n");
            for found in reading.take() {
                seq += 1;
                let run = RunId(uuid::Uuid::nil());
                let at = At { position: Position(seq), run, seq: Seq(seq), at: Timestamp::from_unix_ms(0) };
                facts.apply(at, Some(&found.payload));
            }
            let plan = facts.plan.iter().flat_map(|plan| &plan.items);
            let plan: Vec<_> =
                plan.map(|item| (item.content.clone(), item.status.as_str().to_owned())).collect();
            assert_eq!(plan, own, "{} at {line}", file.display());
            compared += 1;
        }
    }
    eprintln!("{compared} records compared, {with_plan} lists written");
    assert!(with_plan > 0);
}

/// Spliced, cut, with NUL, swapped and repeated stretches: it never panics, and it always adds up.
#[test]
fn mangled_copies_do_no_harm() {
    let Some(corpus) = corpus() else { return };
    let mut all = Vec::new();
    for kind in
        ["claude", "codex", "dsh", "gemini", "captured", "hooks", "otlp", "misc", "swe-agent", "openhands"]
    {
        files(&corpus.join(kind), &mut all);
    }
    let bytes: Vec<Vec<u8>> = all
        .iter()
        .filter_map(|file| std::fs::read(file).ok())
        .filter(|bytes| (1..150_000).contains(&bytes.len()))
        .collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut dice = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % below.max(1)
    };
    for round in 0..1_000 {
        let mut copy = bytes[round % bytes.len()].clone();
        for _ in 0..=dice(3) {
            let (from, len) = (dice(copy.len()), 1 + dice(400));
            let to = (from + len).min(copy.len());
            match dice(5) {
                0 => drop(copy.drain(from..to)),
                1 => copy.truncate(from.max(1)),
                2 => copy[from..to].fill(0),
                3 => copy[from..to].reverse(),
                _ => {
                    let piece = copy[from..to].to_vec();
                    let at = dice(copy.len());
                    copy.splice(at..at, piece);
                }
            }
            if copy.is_empty() {
                copy.push(b'x');
            }
        }
        let (reading, _) = read(&copy, 1 + dice(70_000));
        adds_up(&reading, &format!("round {round}"));
    }
}
