//! `tally call TOOL JSON`: one tool call, as a person, through the same boundary as every agent.

use crate::access::Access;
use crate::out;
use anyhow::Result;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use tools::{Code, Failure, Refusal, strict_json};

/// One tool call, as a person.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The tool, for example progress_create or progress.list
    tool: String,
    /// The arguments as a JSON object; `-` reads them from standard input
    #[arg(default_value = "{}")]
    arguments: String,
    /// The board: a project's id or folder. Without it, the store's default board
    #[arg(long)]
    project: Option<String>,
    /// Print the whole answer as JSON: {"ok":true,"answer":…} or {"ok":false,"refusal":…}
    #[arg(long)]
    json: bool,
}

/// Exit 0 accepted · 1 refused, or the store cannot be reached · 2 the command line itself is wrong.
pub(crate) async fn run(args: Args, data: &Path) -> Result<ExitCode> {
    let text = match args.arguments.as_str() {
        "-" => std::io::read_to_string(std::io::stdin())?,
        text => text.to_owned(),
    };
    let result = match strict_json::parse(text.as_bytes()) {
        Ok(arguments) => {
            let access = Access::open(data).await?;
            access.call(args.project.as_deref(), &args.tool, arguments).await?
        }
        Err(error) => {
            let refusal = Refusal::new(Code::InvalidInput, format!("the arguments are not JSON: {error}"));
            Err(Failure::Refused(refusal))
        }
    };
    Ok(report(&result, args.json))
}

fn report(result: &Result<tools::Answer, Failure>, as_json: bool) -> ExitCode {
    let (shown, code) = match result {
        Ok(answer) => (json!({"ok": true, "answer": answer}), ExitCode::SUCCESS),
        Err(Failure::Refused(refusal)) => (json!({"ok": false, "refusal": refusal}), ExitCode::FAILURE),
        Err(Failure::UnknownTool { message, .. }) => {
            let refusal = Refusal::new(Code::InvalidInput, message.clone());
            (json!({"ok": false, "refusal": refusal}), ExitCode::FAILURE)
        }
    };
    match (as_json, result) {
        (true, _) => out::line(&shown.to_string()),
        (false, Ok(answer)) => out::line(&answer.text),
        (false, Err(Failure::Refused(refusal))) => out::complain(&refusal.to_text()),
        (false, Err(Failure::UnknownTool { message, .. })) => out::complain(message),
    }
    code
}
