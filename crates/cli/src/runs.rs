//! `tally runs`: every run of the store, newest first.

use crate::access::Access;
use crate::out;
use anyhow::Result;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Every run, newest first
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only the runs of this project (id or folder)
    #[arg(long)]
    project: Option<String>,
    /// At most this many
    #[arg(long, default_value_t = 200)]
    limit: u32,
    /// {"position":…,"runs":[{"id","project","agent","actor","status","source","events","rejected","started","ended"?,…}]}
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: Args, data: &Path) -> Result<ExitCode> {
    let access = Access::open(data).await?;
    let mut params = json!({"limit": args.limit});
    if let Some(project) = args.project {
        params["project"] = project.into();
    }
    let view = access.view("runs", params).await?;
    if args.json {
        out::line(&view.to_string());
        return Ok(ExitCode::SUCCESS);
    }
    let rows = view["runs"].as_array().map(Vec::as_slice).unwrap_or_default();
    if rows.is_empty() {
        out::line("No runs yet. Connect an agent, or try `tally demo`.");
        return Ok(ExitCode::SUCCESS);
    }
    out::line(&format!(
        "{:<36}  {:<16} {:<12} {:<12} {:>6} {:>8}  STARTED",
        "RUN", "AGENT", "STATUS", "SOURCE", "EVENTS", "REJECTED"
    ));
    for row in rows {
        let text = |field: &str| row[field].as_str().unwrap_or("").to_owned();
        let number = |field: &str| row[field].as_u64().unwrap_or(0);
        out::line(&format!(
            "{:<36}  {:<16} {:<12} {:<12} {:>6} {:>8}  {}",
            text("id"),
            text("agent"),
            text("status"),
            text("source"),
            number("events"),
            number("rejected"),
            text("started")
        ));
    }
    Ok(ExitCode::SUCCESS)
}
