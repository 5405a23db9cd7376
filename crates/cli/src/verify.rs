//! `tally verify`: is a run, or a ledger file, the record that was written?

use crate::access::Access;
use crate::out;
use crate::progress::{Progress, Unit};
use anyhow::{Context, Result};
use domain::RunId;
use domain::ledger::{Believed, PublicKey, Report, Verifier};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tools::import::lines;

/// Check a run, a ledger file, or all runs of the store
///
/// Exit codes: 0 sound · 1 altered · 2 unreadable · 130 stopped by Ctrl-C, and nothing wrong so far.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A run's id or its first letters, a ledger file, or a folder with events.jsonl in it
    #[arg(required_unless_present = "all")]
    what: Option<String>,
    /// Every run of the store
    #[arg(long, conflicts_with = "what")]
    all: bool,
    /// The signed marks of a file [default: checkpoints.jsonl beside it, if there is one]
    #[arg(long, value_name = "FILE")]
    checkpoints: Option<PathBuf>,
    /// The public key whose marks count [default: that of the first mark that is signed rightly]
    #[arg(long, value_name = "HEX")]
    key: Option<String>,
    /// {"ok","events","first_bad_seq"?,"problems":[{"seq"?,"line"?,"kind","text"}],"covered_to",…}
    #[arg(long)]
    json: bool,
}

const ALTERED: u8 = 1;
const UNREADABLE: u8 = 2;
/// As a shell has it for a program that Ctrl-C ended.
const STOPPED: u8 = 130;
/// Progress is told after so many bytes of a file.
const TOLD_EACH: u64 = 1 << 20;

pub(crate) async fn run(args: Args, data: &Path) -> Result<ExitCode> {
    if let Some(what) = args.what.clone().filter(|what| is_path(what)) {
        // On a thread of its own, so that Ctrl-C is heard meanwhile.
        return tokio::task::spawn_blocking(move || file(Path::new(&what), &args)).await?;
    }
    let access = Access::open(data).await?;
    let Some(what) = &args.what else { return all(&access, &args).await };
    let verdict = stored(&access, what).await?;
    say(&verdict, what, args.json);
    Ok(code(&verdict))
}

/// No run is called so; or there is such a file.
fn is_path(what: &str) -> bool {
    what.contains(['/', '\\', '.']) || Path::new(what).exists()
}

async fn all(access: &Access, args: &Args) -> Result<ExitCode> {
    let runs = access.view("runs", json!({"limit": 5000})).await?;
    let (mut verdicts, mut worst) = (Vec::new(), 0);
    for run in runs["runs"].as_array().into_iter().flatten() {
        let id = run["id"].as_str().unwrap_or_default();
        let mut verdict = stored(access, id).await?;
        worst = worst.max(code_of(&verdict));
        let stopped = verdict["stopped"] == true;
        if args.json {
            verdict["run"] = id.into();
            verdicts.push(verdict);
        } else {
            say(&verdict, id, false);
        }
        if stopped {
            break;
        }
    }
    if args.json {
        out::line(&json!({"ok": worst == 0, "runs": verdicts}).to_string());
    }
    Ok(ExitCode::from(worst))
}

/// Asks whoever owns the store, and waits for the answer.
async fn stored(access: &Access, run: &str) -> Result<Value> {
    let mut progress = Progress::start("verified", Unit::Events);
    let mut found = access.view("verify", json!({"run": run, "ask": "start"})).await?;
    while found["state"] == "running" {
        let number = |field: &str| found[field].as_u64().unwrap_or(0);
        if !progress.tell(number("done"), number("of")) {
            access.view("verify", json!({"run": run, "ask": "stop"})).await?;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        found = access.view("verify", json!({"run": run})).await?;
    }
    let report = &found["report"];
    if report.is_null() {
        return Ok(
            json!({"ok": false, "stopped": true, "events": found["done"], "of": found["of"], "problems": [], "covered_to": 0}),
        );
    }
    let problems = report["problems"].as_array().into_iter().flatten().map(|problem| {
        let mut problem = problem.clone();
        if let Some(members) = problem.as_object_mut() {
            members.retain(|_, value| !value.is_null());
        }
        problem
    });
    let mut verdict = json!({
        "ok": report["ok"], "events": report["events"], "problems": problems.collect::<Vec<_>>(),
        "covered_to": report["coveredTo"], "unknown": report["unknown"],
    });
    if !report["firstBadSeq"].is_null() {
        verdict["first_bad_seq"] = report["firstBadSeq"].clone();
    }
    Ok(verdict)
}

fn file(path: &Path, args: &Args) -> Result<ExitCode> {
    let events = if path.is_dir() { path.join("events.jsonl") } else { path.to_owned() };
    let name = events.display().to_string();
    let verdict = checked(&events, args).unwrap_or_else(|error| {
        let problem = json!({"kind": "unreadable", "text": format!("{error:#}")});
        json!({"ok": false, "events": 0, "problems": [problem], "covered_to": 0})
    });
    say(&verdict, &name, args.json);
    Ok(code(&verdict))
}

fn checked(events: &Path, args: &Args) -> Result<Value> {
    let name = events.display();
    let file = std::fs::File::open(events).with_context(|| format!("{name} cannot be read"))?;
    let marks = match &args.checkpoints {
        Some(marks) => Some(marks.clone()),
        None => Some(events.with_file_name("checkpoints.jsonl")).filter(|beside| beside.exists()),
    };
    let believed = checkpoints(marks.as_deref(), args.key.as_deref())?;
    let mut verifier = Verifier::named(run_of(events).as_deref(), &believed.checkpoints);
    believed.bad.into_iter().for_each(|text| verifier.bad_checkpoint(text));
    let (size, mut read, mut told, mut notes) = (file.metadata()?.len().max(1), 0, 0, BTreeMap::new());
    let (mut progress, mut stopped) = (Progress::start("verified", Unit::Events), false);
    lines(file, &mut notes, |line| {
        match line.parse() {
            Ok(parsed) => verifier.event(Some(line.number), &parsed),
            Err(why) => verifier.unreadable(line.number, &why, line.unended),
        }
        read += line.length + 1;
        if read < told + TOLD_EACH {
            return true;
        }
        told = read;
        stopped = !progress.tell(line.number, line.number.saturating_mul(size.max(read)) / read);
        !stopped
    })
    .with_context(|| format!("{name} cannot be read"))?;
    drop(progress);
    let verifier = if stopped { verifier.stopped() } else { verifier };
    let mut verdict = of_report(&verifier.finish(), &notes);
    if let Some(key) = believed.key {
        verdict["signed_by"] = key.hex().into();
    }
    if stopped {
        verdict["ok"] = false.into();
        verdict["stopped"] = true.into();
    }
    Ok(verdict)
}

/// A ledger in a run's own folder must be that run's.
fn run_of(events: &Path) -> Option<String> {
    let folder = std::path::absolute(events).ok()?.parent()?.to_owned();
    let name = folder.file_name()?.to_str()?;
    let own = events.file_name()? == "events.jsonl"
        && (folder.parent()?.file_name().is_some_and(|runs| runs == "runs")
            || name.parse::<RunId>().is_ok_and(|run| run.to_string() == name));
    own.then(|| name.to_owned())
}

fn checkpoints(path: Option<&Path>, key: Option<&str>) -> Result<Believed> {
    let key =
        key.map(|key| PublicKey::from_hex(key).context("--key is not a public key of 64 hexadecimal digits"));
    let key = key.transpose()?;
    let Some(path) = path else { return Ok(Believed::default()) };
    let file = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(Believed::read(&file, key))
}

fn of_report(report: &Report, notes: &BTreeMap<String, u64>) -> Value {
    let problems = report.problems.iter().map(|problem| {
        let mut one = json!({"kind": problem.fault.as_str(), "text": problem.text});
        if let Some(seq) = problem.seq {
            one["seq"] = seq.into();
        }
        if let Some(line) = problem.line {
            one["line"] = line.into();
        }
        if let (Some(expected), Some(found)) = (&problem.expected, &problem.found) {
            one["expected"] = json!(expected);
            one["found"] = json!(found);
        }
        one
    });
    let mut verdict = json!({
        "ok": report.ok, "events": report.events, "chained": report.chained,
        "problems": problems.collect::<Vec<_>>(), "more_problems": report.more_problems,
        "covered_to": report.covered_to, "unknown": report.unknown, "notes": notes,
    });
    if let Some(first) = report.first_bad_seq {
        verdict["first_bad_seq"] = first.into();
    }
    if let Some(uncovered) = &report.uncovered {
        verdict["uncovered"] = json!(uncovered);
    }
    verdict
}

fn code_of(verdict: &Value) -> u8 {
    let nothing_wrong = verdict["problems"].as_array().is_some_and(Vec::is_empty);
    match (verdict["ok"] == true, verdict["events"].as_u64()) {
        (true, _) => 0,
        (false, _) if verdict["stopped"] == true && nothing_wrong => STOPPED,
        (false, Some(0) | None) => UNREADABLE,
        (false, _) => ALTERED,
    }
}

fn code(verdict: &Value) -> ExitCode {
    ExitCode::from(code_of(verdict))
}

fn say(verdict: &Value, what: &str, as_json: bool) {
    if as_json {
        return out::line(&verdict.to_string());
    }
    let covered = match verdict["covered_to"].as_u64() {
        Some(0) | None => "no signed checkpoint covers it".to_owned(),
        Some(seq) => format!("signed up to event {seq}"),
    };
    if code_of(verdict) == STOPPED {
        out::line(&format!("STOPPED  {what}: the first {} events are sound, {covered}", verdict["events"]));
    } else if verdict["ok"] == true {
        out::line(&format!("sound    {what}: {} events, {covered}", verdict["events"]));
    } else {
        let first = verdict["first_bad_seq"].as_u64().map(|seq| format!("; the first bad event is {seq}"));
        out::line(&format!("NOT SOUND {what}: {} events{}", verdict["events"], first.unwrap_or_default()));
        for problem in verdict["problems"].as_array().into_iter().flatten() {
            out::line(&format!(
                "  {}: {}",
                problem["kind"].as_str().unwrap_or(""),
                problem["text"].as_str().unwrap_or("")
            ));
            if let (Some(expected), Some(found)) = (problem["expected"].as_str(), problem["found"].as_str()) {
                out::line(&format!("    expected {expected}\n    found    {found}"));
            }
        }
    }
    if let Some(uncovered) = verdict["uncovered"].as_str() {
        out::line(&format!("  not covered: {uncovered}"));
    }
    for (note, count) in verdict["notes"].as_object().into_iter().flatten() {
        out::line(&format!("  noted: {note} ({count})"));
    }
}
