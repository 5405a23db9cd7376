//! `tally demo`: a throw-away board with a believable project, on which three scripted agents
//! work live, mistakes included, through the same boundary as real ones.

use crate::out;
use crate::progress::{Progress, Unit};
use anyhow::{Context, Result};
use endpoint::{ServeOptions, Server};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tools::generate::Size;
use tools::{Caller, Failure, Host, Identity, Options, Run, Surface};

/// Watch three scripted agents work on a throw-away board
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Keep the demo's store in this folder instead of a temporary one
    #[arg(long)]
    keep: Option<PathBuf>,
    /// The browser's port
    #[arg(long)]
    ui_port: Option<u16>,
    /// Milliseconds between two steps of an agent
    #[arg(long, default_value_t = 1500)]
    pace: u64,
    /// End when the agents are done, instead of waiting for Ctrl-C
    #[arg(long)]
    once: bool,
    /// Make a store with one run of this many events instead, in the folder of --keep; then end
    #[arg(long, requires = "keep", value_name = "N")]
    events: Option<u64>,
    /// … and with this many tasks
    #[arg(long, requires = "events", value_name = "N", default_value_t = 1_000)]
    tasks: u32,
    /// Write where the owner listens into this file, as `serve` does
    #[arg(long)]
    ready_file: Option<PathBuf>,
}

/// What was there before the agents came: (subject, description, blockers).
const BACKLOG: &[(&str, &str, &[u32])] = &[
    ("Set up the repository and CI", "", &[]),
    ("Choose the database and write the schema", "PostgreSQL; one migration per change.", &[1]),
    ("Design the public API", "OpenAPI file, reviewed by the mobile team.", &[]),
    ("Sign-in with one-time codes", "Codes live ten minutes and work once.", &[2, 3]),
    ("Rate limit the sign-in route", "At most five tries a minute for one address.", &[4]),
    ("List and search orders", "Cursor pages of fifty.", &[2, 3]),
    ("Export orders as CSV", "", &[6]),
    ("Retry webhooks with back-off", "Six tries within a day; then tell the owner.", &[2]),
    ("Move images to object storage", "", &[]),
    ("Write the load test", "One thousand sign-ins a minute for ten minutes.", &[5, 6]),
    ("Translate error messages into Chinese / 错误信息中文化", "", &[3]),
    ("Release notes for 1.0", "", &[7, 8, 10]),
];

/// Done before the agents came.
const FINISHED: &[u32] = &[1, 3];

/// One step of an agent. Versions are the ones it last saw, as with a real model.
#[derive(Debug, Clone, Copy)]
enum Step {
    Look,
    Read(u32),
    Move(u32, &'static str),
    Describe(u32, &'static str),
    Add(&'static str, &'static [u32]),
    Block(u32, &'static [u32]),
    Remove(u32),
    /// Sends the arguments as they are: the mistakes.
    Raw(&'static str, &'static str),
    Rest,
}

use Step::{Add, Block, Describe, Look, Move, Raw, Read, Remove, Rest};

const AGENTS: &[(&str, &[Step])] = &[
    (
        "codex",
        &[
            Look,
            Move(2, "in_progress"),
            Rest,
            Describe(2, "PostgreSQL; one migration per change. Orders, users, codes, webhooks."),
            Raw("progress_update", r#"{"id":"2","expectedVersion":3,"patch":{"status":"Done"}}"#),
            Move(2, "done"),
            Look,
            Move(4, "in_progress"),
            Rest,
            Add("Store one-time codes hashed, not in clear", &[2]),
            Rest,
            Raw("progress_update", r#"{"id":"4","patch":{"status":"done"}}"#),
            Move(4, "done"),
            Move(5, "in_progress"),
            Rest,
            Rest,
            Move(5, "done"),
            Look,
        ],
    ),
    (
        "claude-code",
        &[
            Look,
            Rest,
            Move(8, "in_progress"),
            Rest,
            Raw("progress_create", r#"{"title":"Dead-letter view for webhooks","priority":"high"}"#),
            Add("Dead-letter view for webhooks", &[8]),
            Describe(8, "Six tries within a day, jittered; then tell the owner and park the message."),
            Rest,
            Move(8, "blocked"),
            Rest,
            Block(2, &[8]),
            Rest,
            Move(8, "in_progress"),
            Rest,
            Move(8, "done"),
            Move(11, "in_progress"),
            Rest,
            Raw("progress_update", r#"{"id":"11","expectedVersion":2,"patch":"{\"status\":\"done\"}"}"#),
            Move(11, "done"),
        ],
    ),
    (
        "opencode",
        &[
            Look,
            Rest,
            Rest,
            Move(6, "in_progress"),
            Rest,
            Read(2),
            Rest,
            Describe(2, "PostgreSQL 17."),
            Rest,
            Add("Index orders by customer and day", &[6]),
            Add("Index orders by day and customer", &[6]),
            Rest,
            Raw("progress_delete", r#"{"id":"15","expectedVersion":7}"#),
            Remove(16),
            Move(6, "done"),
            Move(7, "in_progress"),
            Rest,
            Rest,
            Move(7, "done"),
            Move(9, "in_progress"),
            Rest,
            Look,
        ],
    ),
];

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    let temporary;
    let data = match &args.keep {
        Some(dir) => dir.as_path(),
        None => {
            temporary = tempfile::Builder::new().prefix("tallyboard-demo-").tempdir()?;
            temporary.path()
        }
    };
    let host = Host::open(Options {
        data: data.to_owned(),
        person: program::person(),
        witness: program::witness_dir(data),
    })?;
    if let Some(events) = args.events {
        return generate(host, Size { events, tasks: args.tasks }).await;
    }
    let options =
        ServeOptions { port: None, ui: true, ui_port: args.ui_port, ready_file: args.ready_file.clone() };
    let server = Server::start(host.clone(), options).await?;
    seed(&host).await.context("the demo's backlog could not be written")?;
    out::line("Three scripted agents are about to work on a throw-away board.");
    if let Some(link) = server.login_link() {
        out::line(&format!("Open this link in a browser (it works once):\n\n    {link}\n"));
    }
    out::line("Ctrl-C ends the demo.");
    let agents = async {
        let pace = Duration::from_millis(args.pace);
        let work = AGENTS.iter().map(|(name, steps)| Agent::new(&host, name).work(steps, pace));
        futures::future::join_all(work).await;
        if args.once {
            return;
        }
        out::line("The agents are done. The board stays up until Ctrl-C; try it by hand.");
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = agents => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    server.shutdown().await;
    host.close();
    Ok(ExitCode::SUCCESS)
}

/// A store of the asked size, for trying and measuring.
async fn generate(host: Host, size: Size) -> Result<ExitCode> {
    let mut progress = Progress::start("made", Unit::Events);
    let made = tokio::task::spawn_blocking(move || {
        let made = tools::generate::generate(&host, size, |done| progress.tell(done, size.events));
        host.close();
        made
    });
    made.await??;
    out::line(&format!("One run of {} events and {} tasks is there.", size.events, size.tasks));
    Ok(ExitCode::SUCCESS)
}

async fn seed(host: &Host) -> Result<()> {
    let identity = Identity::Person { name: program::person(), surface: Surface::Cli };
    let me = Caller { identity, project: Some("demo/acme-shop".into()), call_id: None };
    for (subject, description, blockers) in BACKLOG {
        let blockers: Vec<_> = blockers.iter().map(u32::to_string).collect();
        let mut call = json!({"subject": subject, "blockedBy": blockers});
        if !description.is_empty() {
            call["description"] = (*description).into();
        }
        host.call(me.clone(), "progress_create", call)
            .await
            .map_err(|failure| anyhow::anyhow!("{failure:?}"))?;
    }
    for id in FINISHED {
        let call = json!({"id": id.to_string(), "expectedVersion": 1, "patch": {"status": "done"}});
        host.call(me.clone(), "progress_update", call)
            .await
            .map_err(|failure| anyhow::anyhow!("{failure:?}"))?;
    }
    Ok(())
}

/// A scripted agent: it remembers the versions it saw, and takes what STALE tells it.
struct Agent<'a> {
    host: &'a Host,
    caller: Caller,
    seen: HashMap<u32, u64>,
}

impl<'a> Agent<'a> {
    fn new(host: &'a Host, name: &str) -> Self {
        let run = Run::Bridge { key: format!("demo-{name}-{}", std::process::id()) };
        let identity = Identity::Agent { name: name.into(), version: None, run };
        let caller = Caller { identity, project: Some("demo/acme-shop".into()), call_id: None };
        Agent { host, caller, seen: HashMap::new() }
    }

    async fn work(mut self, steps: &[Step], pace: Duration) {
        for step in steps {
            tokio::time::sleep(pace).await;
            self.step(*step).await;
        }
        // A run that cannot be ended is shown as open; nothing else depends on it.
        let _ = self.host.end_run(self.caller, "completed").await;
    }

    async fn step(&mut self, step: Step) {
        match step {
            Rest => {}
            Look => self.look().await,
            Read(id) => {
                let read =
                    self.host.call(self.caller.clone(), "progress_get", json!({"id": id.to_string()})).await;
                self.learn(read.ok().map(|answer| answer.structured));
            }
            Move(id, status) => self.update(id, json!({"status": status})).await,
            Describe(id, text) => self.update(id, json!({"description": text})).await,
            Block(id, by) => {
                let by: Vec<_> = by.iter().map(u32::to_string).collect();
                self.update(id, json!({"blockedBy": by})).await;
            }
            Add(subject, by) => {
                let by: Vec<_> = by.iter().map(u32::to_string).collect();
                self.send("progress_create", json!({"subject": subject, "blockedBy": by})).await;
            }
            Remove(id) => {
                let version = self.seen.get(&id).copied().unwrap_or(1);
                self.send("progress_delete", json!({"id": id.to_string(), "expectedVersion": version})).await;
            }
            Raw(tool, arguments) => {
                let arguments = serde_json::from_str(arguments).unwrap_or(Value::Null);
                self.send(tool, arguments).await;
            }
        }
    }

    async fn look(&mut self) {
        let list = self.host.call(self.caller.clone(), "progress_list", json!({})).await;
        let tasks = list.ok().map(|answer| answer.structured["tasks"].clone());
        for task in tasks.as_ref().and_then(Value::as_array).into_iter().flatten() {
            self.remember(task);
        }
    }

    async fn update(&mut self, id: u32, patch: Value) {
        let version = self.seen.get(&id).copied().unwrap_or(1);
        let call = json!({"id": id.to_string(), "expectedVersion": version, "patch": patch});
        if let Some(current) = self.send("progress_update", call.clone()).await {
            self.remember(&current);
            tokio::time::sleep(Duration::from_millis(700)).await;
            let mut again = call;
            again["expectedVersion"] = current["version"].clone();
            self.send("progress_update", again).await;
        }
    }

    /// Sends a call; gives the task as it is now when the call was stale.
    async fn send(&mut self, tool: &str, arguments: Value) -> Option<Value> {
        match self.host.call(self.caller.clone(), tool, arguments).await {
            Ok(answer) => {
                self.learn(Some(answer.structured));
                None
            }
            Err(Failure::Refused(refusal)) => refusal.current,
            Err(Failure::UnknownTool { .. }) => None,
        }
    }

    fn learn(&mut self, structured: Option<Value>) {
        if let Some(structured) = structured {
            self.remember(&structured["task"]);
        }
    }

    fn remember(&mut self, task: &Value) {
        let id = task["id"].as_str().and_then(|id| id.parse().ok());
        if let (Some(id), Some(version)) = (id, task["version"].as_u64()) {
            self.seen.insert(id, version);
        }
    }
}
