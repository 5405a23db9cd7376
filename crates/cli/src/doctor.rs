//! `tally doctor`: what is wrong with a set-up, and how to mend it.

use crate::access::Access;
use crate::out;
use anyhow::Result;
use endpoint::remote::{FindError, Owner};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use tools::Surface;

/// Say what is wrong with the set-up and how to mend it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// {"ok":…,"checks":[{"check","verdict":"ok"|"warning"|"wrong","says","mend"?}]}
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Ok,
    Warning,
    Wrong,
}

#[derive(Debug)]
struct Finding {
    check: &'static str,
    verdict: Verdict,
    says: String,
    mend: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, says: impl Into<String>) -> Finding {
        Finding { check, verdict: Verdict::Ok, says: says.into(), mend: None }
    }

    fn warning(check: &'static str, says: impl Into<String>, mend: impl Into<String>) -> Finding {
        Finding { check, verdict: Verdict::Warning, says: says.into(), mend: Some(mend.into()) }
    }

    fn wrong(check: &'static str, says: impl Into<String>, mend: impl Into<String>) -> Finding {
        Finding { check, verdict: Verdict::Wrong, says: says.into(), mend: Some(mend.into()) }
    }
}

/// Exit 0 nothing is wrong (warnings allowed) · 1 something is.
pub(crate) async fn run(args: Args, data: &Path) -> Result<ExitCode> {
    let mut findings = vec![folder(data)];
    findings.extend(secrets(data));
    let (owner, proven) = owner(data).await;
    findings.push(owner);
    findings.extend(store(data, proven).await);
    findings.push(agents());
    let ok = findings.iter().all(|finding| finding.verdict != Verdict::Wrong);
    if args.json {
        out::line(&as_json(ok, &findings).to_string());
    } else {
        for finding in &findings {
            let mark = match finding.verdict {
                Verdict::Ok => "ok     ",
                Verdict::Warning => "warning",
                Verdict::Wrong => "WRONG  ",
            };
            out::line(&format!("{mark}  {:<10} {}", finding.check, finding.says));
            if let Some(mend) = &finding.mend {
                out::line(&format!("                    → {mend}"));
            }
        }
    }
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn as_json(ok: bool, findings: &[Finding]) -> Value {
    let checks: Vec<Value> = findings
        .iter()
        .map(|finding| {
            let verdict = match finding.verdict {
                Verdict::Ok => "ok",
                Verdict::Warning => "warning",
                Verdict::Wrong => "wrong",
            };
            let mut check = json!({"check": finding.check, "verdict": verdict, "says": finding.says});
            if let Some(mend) = &finding.mend {
                check["mend"] = mend.as_str().into();
            }
            check
        })
        .collect();
    json!({"ok": ok, "checks": checks})
}

fn folder(data: &Path) -> Finding {
    const CHECK: &str = "folder";
    let shown = data.display();
    match std::fs::metadata(data) {
        Err(_) => Finding::ok(CHECK, format!("{shown} is not there yet; the first start makes it")),
        Ok(meta) if !meta.is_dir() => {
            Finding::wrong(CHECK, format!("{shown} is not a folder"), "name another folder with --data")
        }
        Ok(_) => match tempfile::tempfile_in(data) {
            Err(error) => Finding::wrong(
                CHECK,
                format!("{shown} cannot be written: {error}"),
                "make it yours and writable, free space on its disk, or name another folder with --data",
            ),
            Ok(_) if synced(data) => Finding::warning(
                CHECK,
                format!("{shown} looks like a synchronised folder"),
                "keep the store on a local disk: a sync program can copy half of a write",
            ),
            Ok(_) => Finding::ok(CHECK, format!("{shown} can be written")),
        },
    }
}

/// Folders that a sync program owns.
fn synced(data: &Path) -> bool {
    const NAMES: &[&str] =
        &["Dropbox", "OneDrive", "Google Drive", "iCloud Drive", "Nextcloud", "Mobile Documents"];
    data.components().any(|part| NAMES.iter().any(|name| part.as_os_str() == *name))
}

fn secrets(data: &Path) -> Vec<Finding> {
    ["agent.token", "person.token"].into_iter().filter_map(|name| secret(&data.join(name))).collect()
}

#[cfg(unix)]
fn secret(file: &Path) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt;
    const CHECK: &str = "token";
    let mode = std::fs::metadata(file).ok()?.permissions().mode() & 0o777;
    let shown = file.display();
    Some(if mode & 0o077 == 0 {
        Finding::ok(CHECK, format!("{shown} is yours alone"))
    } else {
        Finding::wrong(
            CHECK,
            format!("{shown} can be read by others (mode {mode:o})"),
            format!(
                "stop the owner, delete {shown} and start again: a new token is made; agents over HTTP need it"
            ),
        )
    })
}

#[cfg(not(unix))]
fn secret(_file: &Path) -> Option<Finding> {
    None
}

async fn owner(data: &Path) -> (Finding, bool) {
    const CHECK: &str = "owner";
    match Owner::find(data, Surface::Cli).await {
        Ok(owner) => {
            let file = owner.file();
            let says = format!("process {} owns the store; agents connect to {}", file.pid, file.mcp_url);
            (Finding::ok(CHECK, says), true)
        }
        Err(FindError::NotRunning(_)) => {
            let says = "nobody owns the store now; a bridge (`tally mcp`) starts an owner when it needs one";
            (Finding::ok(CHECK, says), false)
        }
        Err(FindError::NotProven(why)) => {
            let mend = "another program took the port, or the token file was replaced: end the owner and start it again";
            (Finding::wrong(CHECK, why, mend), false)
        }
        Err(FindError::Unreadable(why)) => {
            let mend = "delete owner.json in the data folder and start the owner again";
            (Finding::wrong(CHECK, why, mend), false)
        }
    }
}

async fn store(data: &Path, owned: bool) -> Vec<Finding> {
    const CHECK: &str = "store";
    if !owned && !data.join("tallyboard.db").exists() {
        return vec![Finding::ok(CHECK, "there is no store yet")];
    }
    let status = match Access::open(data).await {
        Ok(access) => access.view("status", Value::Null).await,
        Err(error) => Err(error),
    };
    let status = match status {
        Ok(status) => status,
        Err(error) => {
            let mend =
                "restore the newest file of the folder `backups`, or move the store away to start a new one";
            return vec![Finding::wrong(CHECK, format!("{error:#}"), mend)];
        }
    };
    let says = format!(
        "{} tasks, {} events, {} refused calls, version {}",
        status["tasks"],
        status["position"],
        status["rejected"],
        status["version"].as_str().unwrap_or("?")
    );
    match status["readOnly"].as_str() {
        Some(why) => {
            let mend = "end the owner, keep a copy of the folder, and restore the newest file of `backups`";
            vec![Finding::wrong(CHECK, why, mend)]
        }
        None => vec![Finding::ok(CHECK, says)],
    }
}

fn agents() -> Finding {
    const CHECK: &str = "agents";
    const NAMES: &[&str] = &["claude", "codex", "opencode", "gemini", "qwen", "cursor"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = |name: &&&str| {
        std::env::split_paths(&path)
            .any(|dir| dir.join(name).is_file() || dir.join(format!("{name}.exe")).is_file())
    };
    let found: Vec<&str> = NAMES.iter().filter(on_path).copied().collect();
    if found.is_empty() {
        let says = "no known agent is on the PATH";
        Finding::warning(
            CHECK,
            says,
            "any MCP client works: let it start `tally mcp`, or see the Connect page",
        )
    } else {
        Finding::ok(CHECK, format!("on the PATH: {}", found.join(", ")))
    }
}
