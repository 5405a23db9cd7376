//! `tally import`: what agents wrote down, and ledger files from elsewhere, as runs that touch no board.

use crate::access::Access;
use crate::out;
use crate::progress::{Progress, Unit};
use anyhow::Result;
use serde_json::{Value, json};
use std::path::{Path, PathBuf, absolute};
use std::process::ExitCode;
use std::time::Duration;

/// Read sessions that agents wrote down, and ledger files, in as runs that touch no board
///
/// Read are sessions of Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI and deepseek-harness, and
/// ledgers of Tallyboard. What a file is shows in its content. The same file again, or one that grew, adds only what is new.
///
/// Exit codes: 0 all was read · 4 some lines were bad · 2 nothing could be read · 130 stopped.
/// What was stopped half way left whole files or none; the same command goes on where it was.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files, or folders with such files in them
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// One account per file: {"file","format","runs","lines","mapped","skipped","bad","badLines","events","problems","notes","tokens"?}
    #[arg(long)]
    json: bool,
}

const SOME_BAD: u8 = 4;
const NOTHING: u8 = 2;
const STOPPED: u8 = 130;
const BAD_SAID: usize = 20;
/// The first look comes soon, for small files; then they become rarer.
const LOOKS: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(200));

pub(crate) async fn run(args: Args, data: &Path) -> Result<ExitCode> {
    let paths = args.paths.iter().map(absolute).collect::<Result<Vec<_>, _>>()?;
    let access = Access::open(data).await?;
    let mut progress = Progress::start("read in", Unit::Bytes);
    let mut job = access.view("import", json!({"ask": "start", "paths": paths})).await?;
    let (mut accounts, mut pause) = (Vec::new(), LOOKS.0);
    loop {
        accounts.extend(job["accounts"].as_array().into_iter().flatten().cloned());
        let number = |field: &str| job[field].as_u64().unwrap_or(0);
        if job["state"] != "waiting" && job["state"] != "running" {
            break;
        }
        if !progress.tell(number("bytesDone"), number("bytes")) {
            access.view("import", json!({"ask": "stop", "job": job["job"]})).await?;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LOOKS.1);
        let known = json!({"ask": "look", "job": job["job"], "from": accounts.len()});
        job = access.view("import", known).await?;
    }
    drop(progress);
    for account in &accounts {
        if args.json {
            out::line(&account.to_string());
        } else {
            say(account);
        }
    }
    if job["state"] == "stopped" {
        let done = accounts.len();
        out::complain(&format!(
            "Stopped: {done} of {} files were gone through, and of the others nothing was written. The same command goes on from here.",
            job["files"]
        ));
        return Ok(ExitCode::from(STOPPED));
    }
    let bad = |account: &Value| account["badLines"] != 0 || account.get("why").is_some();
    let nothing = accounts.iter().all(|account| account["runs"].as_array().is_none_or(Vec::is_empty));
    Ok(match (nothing, accounts.iter().any(bad)) {
        (true, _) => ExitCode::from(NOTHING),
        (false, true) => ExitCode::from(SOME_BAD),
        (false, false) => ExitCode::SUCCESS,
    })
}

fn say(account: &Value) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if let Some(why) = account.get("why") {
        return out::line(&format!("{}: nothing was read in: {}", text(&account["file"]), text(why)));
    }
    out::line(&format!(
        "{}: {}, {} lines, {} events read in",
        text(&account["file"]),
        text(&account["format"]),
        account["lines"],
        account["events"]
    ));
    for run in account["runs"].as_array().into_iter().flatten() {
        out::line(&format!("  run {}", text(run)));
    }
    if let Some(tokens) = account.get("tokens") {
        out::line(&format!("  tokens: {} in, {} out", tokens["in"], tokens["out"]));
    }
    for (why, lines) in account["skipped"].as_object().into_iter().flatten() {
        out::line(&format!("  passed over: {why} ({lines})"));
    }
    let bad = account["bad"].as_array().map_or(&[][..], Vec::as_slice);
    for bad in bad.iter().take(BAD_SAID) {
        out::line(&format!("  line {} could not be read: {}", bad["line"], text(&bad["why"])));
    }
    let more = account["badLines"].as_u64().unwrap_or(0).saturating_sub(bad.len().min(BAD_SAID) as u64);
    if more > 0 {
        out::line(&format!("  {more} more lines could not be read; --json lists them"));
    }
    for problem in account["problems"].as_array().into_iter().flatten() {
        out::line(&format!("  {}", text(problem)));
    }
    for (note, count) in account["notes"].as_object().into_iter().flatten() {
        out::line(&format!("  noted: {note} ({count})"));
    }
}
