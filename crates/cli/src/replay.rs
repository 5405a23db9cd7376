//! `tally replay`: the board as it was.

use crate::access::Access;
use crate::out;
use anyhow::Result;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// Show the board as it was after one event
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A run's id or its first letters: N is then an event of that run
    #[arg(required_unless_present = "project")]
    run: Option<String>,
    /// A project (id or folder): N is then a position of the store
    #[arg(long, conflicts_with = "run", num_args = 0..=1, default_missing_value = "")]
    project: Option<String>,
    /// Which event
    #[arg(long, value_name = "N")]
    at: u64,
    /// {"at","of","atPosition","time","digest","tasks":[…],"plan"?,"rejected",…}
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: Args, data: &Path) -> Result<ExitCode> {
    let access = Access::open(data).await?;
    let mut params = json!({"at": args.at});
    if let Some(run) = &args.run {
        params["run"] = json!(run);
    }
    if let Some(project) = args.project.as_deref().filter(|project| !project.is_empty()) {
        params["project"] = json!(project);
    }
    let moment = access.view("replay", params).await?;
    if args.json {
        out::line(&moment.to_string());
        return Ok(ExitCode::SUCCESS);
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    out::line(&format!(
        "The board of {} after event {} of {}, {}",
        text(&moment["project"]["name"]),
        moment["at"],
        moment["of"],
        text(&moment["time"])
    ));
    for task in moment["tasks"].as_array().into_iter().flatten() {
        let held =
            task["heldBy"]["name"].as_str().map(|name| format!(" (held by {name})")).unwrap_or_default();
        out::line(&format!(
            "#{} v{} [{}] {}{held}",
            task["id"],
            task["version"],
            text(&task["status"]),
            text(&task["subject"])
        ));
    }
    out::line(&format!("digest {}", text(&moment["digest"])));
    Ok(ExitCode::SUCCESS)
}
