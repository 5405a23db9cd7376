//! `tally import`: ledger files from elsewhere, as runs that touch no board.

use crate::access::Access;
use crate::out;
use anyhow::Result;
use serde_json::{Value, json};
use std::path::{Path, PathBuf, absolute};
use std::process::ExitCode;

/// Read ledger files in as runs that touch no board
///
/// Exit codes: 0 all was read · 4 some lines were bad · 2 nothing could be read.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Ledger files, or folders with events.jsonl in them
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// One account per file: {"file","format","runs","lines","mapped","skipped","bad","events","problems","notes"}
    #[arg(long)]
    json: bool,
}

const SOME_BAD: u8 = 4;
const NOTHING: u8 = 2;

pub(crate) async fn run(args: Args, data: &Path) -> Result<ExitCode> {
    let access = Access::open(data).await?;
    let mut accounts = Vec::new();
    for path in &args.paths {
        let file = if path.is_dir() { path.join("events.jsonl") } else { path.clone() };
        let path = absolute(&file)?;
        match access.view("import", json!({"path": path})).await {
            Ok(account) => accounts.push(account),
            // One file that cannot be read keeps the others from nothing.
            Err(error) => accounts.push(json!({
                "file": path, "format": "unknown", "runs": [], "lines": 0, "mapped": 0, "skipped": {}, "events": 0,
                "bad": [{"line": 0, "why": format!("{error:#}")}], "problems": [], "notes": {},
            })),
        }
    }
    for account in &accounts {
        if args.json {
            out::line(&account.to_string());
        } else {
            say(account);
        }
    }
    let bad = |account: &&Value| account["bad"].as_array().is_some_and(|bad| !bad.is_empty());
    let nothing = accounts.iter().all(|account| account["runs"].as_array().is_none_or(Vec::is_empty));
    Ok(match (nothing, accounts.iter().any(|account| bad(&account))) {
        (true, _) => ExitCode::from(NOTHING),
        (false, true) => ExitCode::from(SOME_BAD),
        (false, false) => ExitCode::SUCCESS,
    })
}

fn say(account: &Value) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
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
    for (why, lines) in account["skipped"].as_object().into_iter().flatten() {
        out::line(&format!("  passed over: {why} ({lines})"));
    }
    for bad in account["bad"].as_array().into_iter().flatten() {
        out::line(&format!("  line {} could not be read: {}", bad["line"], text(&bad["why"])));
    }
    for problem in account["problems"].as_array().into_iter().flatten() {
        out::line(&format!("  {}", text(problem)));
    }
    for (note, count) in account["notes"].as_object().into_iter().flatten() {
        out::line(&format!("  noted: {note} ({count})"));
    }
}
