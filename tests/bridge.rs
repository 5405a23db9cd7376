//! `tally mcp`: lines in, lines out, over whatever happens to the owner.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops where it stops; the figures are for the reader"
)]

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Bridge, PATIENCE, Store, call, initialize, signal, tally, until, wait};

fn opened(store: &Store) -> Bridge {
    let mut bridge = store.bridge();
    let answer = bridge.ask(&initialize("bridged"));
    assert_eq!(answer["result"]["serverInfo"]["name"], "tallyboard", "{answer}");
    bridge.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    bridge
}

fn create(id: u64, subject: &str) -> Value {
    call(id, "progress_create", json!({"subject": subject}))
}

fn only_run(store: &Store) -> Value {
    let runs = store.view("runs");
    let agents: Vec<_> =
        runs["runs"].as_array().unwrap().iter().filter(|run| run["actor"] == "agent").cloned().collect();
    assert_eq!(agents.len(), 1, "{runs}");
    agents[0].clone()
}

#[test]
fn a_bridge_is_one_run_named_after_its_client() {
    let store = Store::default();
    let _owner = store.owner();
    let mut bridge = opened(&store);
    for id in 0..3 {
        let answer = bridge.ask(&create(id, "t"));
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(id), &json!(false)), "{answer}");
    }
    let run = only_run(&store);
    assert_eq!((&run["agent"], &run["agentVersion"]), (&json!("bridged"), &json!("1.2")), "{run}");
    assert_eq!((&run["source"], &run["status"]), (&json!("bridge"), &json!("running")), "{run}");
}

#[test]
fn flags_say_which_board_and_which_name() {
    let store = Store::default();
    let _owner = store.owner();
    let mut bridge = Bridge::start(&store, &["--project", "/somewhere/my project é", "--agent", "näme 1"]);
    bridge.ask(&initialize("bridged"));
    bridge.ask(&create(1, "t"));
    let run = only_run(&store);
    assert_eq!(run["agent"], "näme 1", "{run}");
    let listed =
        store.run(&["call", "progress_list", "{}", "--json", "--project", "/somewhere/my project é"]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("[pending] t"), "{listed:?}");
}

#[test]
fn bad_lines_are_answered_and_the_stream_goes_on() {
    let store = Store::default();
    let _owner = store.owner();
    let mut bridge = opened(&store);
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(1 << 20));
    let cases = [
        ("junk", -32700, "not strict JSON"),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32700, "the key \"id\" is there twice"),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, "a batch"),
        (r#"{"id":1,"method":"ping"}"#, -32600, "jsonrpc"),
        (&long, -32600, "longer than 1 MiB"),
    ];
    for (line, code, say) in cases {
        bridge.send_line(line);
        let answer = bridge.next();
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(say), "{answer}");
    }
    bridge.send_line("");
    bridge.send_line("  \r");
    bridge.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}));
    bridge.send(&json!({"jsonrpc": "2.0", "id": 5, "result": {}}));
    assert!(bridge.is_silent(Duration::from_millis(300)), "nothing is owed for those");
    assert_eq!(bridge.ask(&json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}))["result"], json!({}));
    let answer = bridge.ask(&json!({"jsonrpc": "2.0", "id": 8, "method": "made/up"}));
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(8), &json!(-32601)), "{answer}");
}

#[test]
fn a_bridge_is_ready_in_a_moment() {
    let store = Store::default();
    let _owner = store.owner();
    let mut times: Vec<_> = (0..15)
        .map(|_| {
            let started = Instant::now();
            let mut bridge = store.bridge();
            bridge.ask(&initialize("quick"));
            started.elapsed()
        })
        .collect();
    times.sort();
    println!("initialize answered after {:?} (median), {:?} (best)", times[7], times[0]);
    assert!(times[0] < Duration::from_millis(50), "{times:?}");
}

/// Thirty calls under way, the owner killed among them twice; the bridge brings up the next one.
#[test]
fn a_killed_owner_loses_no_call_and_doubles_none() {
    let store = Store::default();
    store.owner().stop();
    let mut bridge = opened(&store);
    for id in 0..30 {
        bridge.send(&create(id, &format!("call {id}")));
        if id == 10 || id == 20 {
            signal(store.owner_pid().unwrap(), "KILL");
        }
    }
    let mut answered = BTreeSet::new();
    for _ in 0..30 {
        let answer = bridge.next();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answered.insert(answer["id"].as_u64().unwrap());
    }
    assert_eq!(answered.len(), 30);
    let tasks = store.tasks();
    let subjects: BTreeSet<_> = tasks.iter().map(|task| task["subject"].as_str().unwrap()).collect();
    assert_eq!((tasks.len(), subjects.len()), (30, 30), "{tasks:?}");
    assert_eq!(only_run(&store)["status"], "running", "still the same run");
}

#[test]
fn the_end_of_input_ends_the_run_and_the_bridge_at_once() {
    let store = Store::default();
    let _owner = store.owner();
    let mut bridge = opened(&store);
    // Under way when the input ends: still answered.
    bridge.send(&create(1, "last"));
    let started = Instant::now();
    bridge.close_input();
    assert!(wait(&mut bridge.child, PATIENCE).success());
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert_eq!(bridge.next()["id"], 1);
    assert_eq!(only_run(&store)["status"], "completed");
}

#[test]
fn a_signal_ends_the_run_as_what_it_means() {
    // Clients end a session with SIGTERM; Ctrl-C is SIGINT.
    for (name, status) in [("TERM", "completed"), ("INT", "cancelled")] {
        let store = Store::default();
        let _owner = store.owner();
        let mut bridge = opened(&store);
        bridge.ask(&create(1, "t"));
        let started = Instant::now();
        signal(bridge.child.id(), name);
        assert!(wait(&mut bridge.child, PATIENCE).success());
        assert!(started.elapsed() < Duration::from_secs(1), "{name}: {:?}", started.elapsed());
        assert_eq!(only_run(&store)["status"], status);
    }
}

#[test]
fn a_bridge_that_dies_leaves_an_interrupted_run() {
    let store = Store::default();
    let _owner = store.owner();
    let mut bridge = opened(&store);
    bridge.ask(&create(1, "t"));
    signal(bridge.child.id(), "KILL");
    let died = Instant::now();
    let ended = until("the run ends", || Some(only_run(&store)).filter(|run| run["status"] != "running"));
    assert_eq!(ended["status"], "interrupted");
    assert!(died.elapsed() > Duration::from_secs(9), "it had ten seconds to come back");
}

/// The bridge and its owner die together; the next owner finds out.
#[test]
fn a_bridge_that_died_while_no_owner_ran_is_interrupted_by_the_next_one() {
    let store = Store::default();
    let owner = store.owner();
    let mut bridge = opened(&store);
    bridge.ask(&create(1, "t"));
    let mut other = opened(&store);
    other.ask(&create(2, "t"));
    owner.kill();
    signal(bridge.child.id(), "KILL");
    let _owner = store.owner();
    let agents = |status: &str| {
        let runs = store.view("runs");
        runs["runs"].as_array().unwrap().iter().filter(|run| run["status"] == status).count()
    };
    until("the run ends", || (agents("interrupted") == 1).then_some(()));
    assert_eq!(agents("running"), 1, "the other one has come back");
}

#[test]
fn without_any_owner_it_says_what_to_do() {
    let mut child = Command::new(tally())
        .args(["mcp", "--data", "/dev/null/nowhere"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    writeln!(child.stdin.take().unwrap(), "{}", initialize("x")).unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(wait(&mut child, PATIENCE).success());
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["id"], "init");
    assert!(answer["error"]["message"].as_str().unwrap().contains("tally serve --data"), "{answer}");
}

/// The owner is gone, and another program has its port.
#[test]
fn a_stranger_on_the_port_gets_no_token_and_the_bridge_goes_on() {
    let store = Store::default();
    let owner = store.owner();
    let (address, token) =
        (owner.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned(), owner.token.clone());
    let mut bridge = opened(&store);
    bridge.ask(&create(1, "before"));
    owner.kill();
    let stranger = TcpListener::bind(&address).unwrap();
    let (sender, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in stranger.incoming() {
            let Ok(mut stream) = stream else { break };
            let mut bytes = vec![0; 16 * 1024];
            let count = stream.read(&mut bytes).unwrap_or(0);
            let _ = sender.send(String::from_utf8_lossy(&bytes[..count]).into_owned());
            let body = r#"{"proof":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#;
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
            // It would take more, if more came.
            let count = stream.read(&mut bytes).unwrap_or(0);
            let _ = sender.send(String::from_utf8_lossy(&bytes[..count]).into_owned());
        }
    });
    let answer = bridge.ask(&create(2, "after"));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let heard: String = heard.try_iter().collect();
    assert!(heard.contains("POST /proof"), "the stranger was asked: {heard}");
    assert!(!heard.contains(&token) && !heard.to_ascii_lowercase().contains("bearer"), "{heard}");
    assert_eq!(store.tasks().len(), 2);
}
