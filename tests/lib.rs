//! What the end-to-end tests share: the built program, a store of its own for each test, an owner
//! process, a bridge process, and a plain client. All that is started is ended by its id.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything may take that ought to be quick, on a machine that is busy.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// `target/<profile>/tally`, built now if it is older than its sources. `TALLY` names another one.
pub fn tally() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        if let Some(told) = std::env::var_os("TALLY") {
            return std::path::absolute(told).expect("TALLY is a path");
        }
        let test = std::env::current_exe().expect("a test knows where it is");
        let profile = test.ancestors().nth(2).expect("target/<profile>/deps/<test>").to_owned();
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--package", "cli", "--bin", "tally"]);
        if profile.ends_with("release") {
            build.arg("--release");
        }
        let built = build.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo runs");
        assert!(built.success(), "cargo build -p cli: {built}");
        profile.join(format!("tally{}", std::env::consts::EXE_SUFFIX))
    })
}

/// A store's folder. What owns it at the end, a bridge may have started it, is ended with it.
#[derive(Debug)]
pub struct Store {
    dir: tempfile::TempDir,
}

impl Default for Store {
    fn default() -> Self {
        Store { dir: tempfile::tempdir().expect("a folder") }
    }
}

impl Store {
    pub fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// What the present owner has announced.
    pub fn announced(&self) -> Option<Value> {
        let text = std::fs::read_to_string(self.data().join("owner.json")).ok()?;
        serde_json::from_str(&text).ok()
    }

    pub fn owner_pid(&self) -> Option<u32> {
        u32::try_from(self.announced()?["pid"].as_u64()?).ok()
    }

    /// Runs one command of `tally` on this store to its end.
    pub fn run(&self, arguments: &[&str]) -> std::process::Output {
        Command::new(tally()).args(arguments).arg("--data").arg(self.data()).output().expect("tally runs")
    }

    pub fn view(&self, name: &str) -> Value {
        let output = match name {
            "runs" => self.run(&["runs", "--json"]),
            _ => panic!("no command shows {name}"),
        };
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// Every live task, over all pages, as the board says it.
    pub fn tasks(&self) -> Vec<Value> {
        let mut tasks = Vec::new();
        let mut arguments = json!({"limit": 100});
        loop {
            let output = self.run(&["call", "progress_list", &arguments.to_string(), "--json"]);
            let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
            let page = &told["answer"]["structured"];
            tasks.extend(page["tasks"].as_array().unwrap_or_else(|| panic!("{told}")).iter().cloned());
            match &page["nextCursor"] {
                Value::String(cursor) => arguments["cursor"] = cursor.as_str().into(),
                _ => return tasks,
            }
        }
    }

    pub fn owner(&self) -> Owner {
        Owner::start(self, &[])
    }

    pub fn bridge(&self) -> Bridge {
        Bridge::start(self, &[])
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if let Some(pid) = self.owner_pid().filter(|pid| *pid != std::process::id()) {
            signal(pid, "KILL");
        }
    }
}

/// Sends a signal by the system's own `kill`.
pub fn signal(pid: u32, name: &str) {
    let _ = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).stderr(Stdio::null()).status();
}

/// Waits for `child` to end; panics when it does not.
pub fn wait(child: &mut Child, patience: Duration) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child of ours") {
            return status;
        }
        assert!(started.elapsed() < patience, "process {} does not end", child.id());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until `done` gives something.
pub fn until<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(value) = done() {
            return value;
        }
        assert!(started.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// `tally serve`, listening.
#[derive(Debug)]
pub struct Owner {
    pub child: Child,
    pub url: String,
    pub token: String,
    pub ready: Value,
}

impl Owner {
    pub fn start(store: &Store, more: &[&str]) -> Owner {
        let ready_file = store.dir.path().join("ready.json");
        let _ = std::fs::remove_file(&ready_file);
        let mut command = Command::new(tally());
        command.arg("serve").arg("--data").arg(store.data()).arg("--ready-file").arg(&ready_file).args(more);
        if !more.contains(&"--port") && !store.data().join("ports.json").exists() {
            // Tests beside each other do not fight for the usual port.
            command.args(["--port", "0"]);
        }
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("tally serve");
        let mut owner = Owner { child, url: String::new(), token: String::new(), ready: Value::Null };
        owner.ready = until("the owner listens", || {
            if let Some(status) = owner.child.try_wait().expect("a child of ours") {
                panic!("tally serve ended: {status}");
            }
            serde_json::from_str(&std::fs::read_to_string(&ready_file).ok()?).ok()
        });
        owner.url = owner.ready["mcp_url"].as_str().expect("mcp_url").to_owned();
        let token_file = owner.ready["token_file"].as_str().expect("token_file");
        owner.token = std::fs::read_to_string(token_file).expect("a token");
        owner
    }

    /// kill -9.
    pub fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The polite way; gives the exit code.
    pub fn stop(mut self) -> Option<i32> {
        signal(self.child.id(), "TERM");
        wait(&mut self.child, PATIENCE).code()
    }

    pub fn client(&self) -> Client {
        Client { http: reqwest::Client::new(), url: self.url.clone(), token: self.token.clone() }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client of `/mcp` that adds nothing and mends nothing.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    pub url: String,
    token: String,
}

impl Client {
    /// Sends these bytes; gives status and body.
    pub async fn send(&self, body: impl Into<reqwest::Body>, headers: &[(&str, &str)]) -> (u16, Value) {
        let mut request = self.http.post(&self.url).bearer_auth(&self.token);
        let usual = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        for (name, value) in usual {
            if !headers.iter().any(|(told, _)| *told == name) {
                request = request.header(name, value);
            }
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.body(body).send().await.expect("an answer");
        let status = response.status().as_u16();
        let text = response.text().await.expect("a body");
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// One tool call; gives the whole JSON-RPC answer.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let (status, answer) = self.send(call(1, tool, arguments).to_string(), &[]).await;
        assert_eq!(status, 200, "{answer}");
        answer
    }
}

/// A `tools/call` message.
pub fn call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

/// The `initialize` of a client of 2025-06-18.
pub fn initialize(name: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1.2"}}})
}

/// `tally mcp`, with its lines.
#[derive(Debug)]
pub struct Bridge {
    pub child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Bridge {
    pub fn start(store: &Store, more: &[&str]) -> Bridge {
        let mut command = Command::new(tally());
        command.arg("mcp").arg("--data").arg(store.data()).args(more);
        // Outside any git repository, so that the board is the store's default one.
        command.current_dir(store.dir.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("tally mcp");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Bridge { input: child.stdin.take(), child, lines }
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("still open");
        input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n")).expect("a reader");
    }

    /// The next answer.
    pub fn next(&self) -> Value {
        let line = self.lines.recv_timeout(Duration::from_secs(45)).expect("an answer");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// No answer comes within `time`.
    pub fn is_silent(&self, time: Duration) -> bool {
        matches!(self.lines.recv_timeout(time), Err(RecvTimeoutError::Timeout))
    }

    pub fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        self.next()
    }

    /// Ends its standard input.
    pub fn close_input(&mut self) {
        self.input = None;
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
