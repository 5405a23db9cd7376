//! `tally serve` as a process: one owner of a store, its ports, its files, its end.

use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tests::{Owner, PATIENCE, Store, initialize, signal, tally, until, wait};

#[test]
fn a_second_owner_says_who_holds_the_store_and_exits_3() {
    let store = Store::default();
    let owner = store.owner();
    let second = store.run(&["serve", "--port", "0"]);
    assert_eq!(second.status.code(), Some(3));
    let told = String::from_utf8(second.stderr).unwrap();
    assert!(told.contains(&format!("process {}", owner.child.id())), "{told}");
    // The first one is untouched, and its announcement too.
    assert_eq!(store.owner_pid(), Some(owner.child.id()));
    assert_eq!(owner.stop(), Some(0));
}

#[test]
fn a_wished_port_that_is_busy_is_an_error_and_an_unwished_one_is_not() {
    let store = Store::default();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let failed = store.run(&["serve", "--port", &port]);
    assert_eq!(failed.status.code(), Some(1));
    let told = String::from_utf8(failed.stderr).unwrap();
    assert!(told.contains("in use") && told.contains(&port), "{told}");
    assert!(store.announced().is_none());
    // The remembered port is taken: another one. Then free again: the first one.
    let owner = store.owner();
    let first = owner.url.clone();
    owner.stop();
    let squatter = TcpListener::bind(first.trim_start_matches("http://").trim_end_matches("/mcp")).unwrap();
    let owner = store.owner();
    assert_ne!(owner.url, first);
    owner.stop();
    drop(squatter);
}

#[test]
fn a_clean_end_takes_the_files_along_and_a_kill_leaves_no_trap() {
    let store = Store::default();
    let owner = store.owner();
    assert_eq!(store.announced().unwrap()["mcp_url"], owner.ready["mcp_url"]);
    let started = Instant::now();
    assert_eq!(owner.stop(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    assert!(store.announced().is_none());
    store.owner().kill();
    assert!(store.announced().is_some(), "nobody could remove it");
    let runs = store.run(&["runs", "--json"]);
    assert!(runs.status.success(), "a stale announcement stops nothing: {runs:?}");
    store.owner().stop();
}

#[test]
fn tokens_and_announcements_are_for_their_owner_only_and_never_in_the_log() {
    let store = Store::default();
    let owner = store.owner();
    let mut bridge = store.bridge();
    bridge.ask(&initialize("x"));
    drop(bridge);
    let tokens: Vec<String> = ["agent.token", "person.token"]
        .iter()
        .map(|name| std::fs::read_to_string(store.data().join(name)).unwrap())
        .collect();
    #[cfg(unix)]
    for name in ["agent.token", "person.token", "owner.json", "ports.json"] {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(store.data().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    owner.stop();
    let mut logged = String::new();
    for file in std::fs::read_dir(store.data().join("logs")).unwrap() {
        logged.push_str(&std::fs::read_to_string(file.unwrap().path()).unwrap());
    }
    assert!(logged.contains("listening"), "{logged}");
    assert!(tokens.iter().all(|token| !logged.contains(token)));
}

#[test]
fn an_owner_that_lingers_goes_when_nobody_is_there_any_more() {
    let store = Store::default();
    let mut owner = Owner::start(&store, &["--linger", "2", "--port", "0"]);
    let mut bridge = store.bridge();
    bridge.ask(&initialize("x"));
    // A bridge that does nothing but live is somebody.
    std::thread::sleep(Duration::from_secs(4));
    assert!(owner.child.try_wait().unwrap().is_none());
    bridge.close_input();
    assert_eq!(wait(&mut owner.child, PATIENCE).code(), Some(0));
    assert!(store.announced().is_none());
}

#[test]
fn two_bridges_at_once_end_with_one_owner() {
    for _ in 0..3 {
        let store = Store::default();
        let mut bridges: Vec<_> = (0..4).map(|_| store.bridge()).collect();
        bridges.iter_mut().for_each(|bridge| bridge.send(&initialize("twin")));
        for bridge in &bridges {
            assert_eq!(bridge.next()["result"]["serverInfo"]["name"], "tallyboard");
        }
        let pid = store.owner_pid().unwrap();
        // All answers came from that one: the others ended with code 3.
        signal(pid, "TERM");
        until("the owner ends", || store.announced().is_none_or(|file| file["pid"] != pid).then_some(()));
        bridges.iter_mut().for_each(|bridge| bridge.close_input());
        for mut bridge in bridges {
            assert!(wait(&mut bridge.child, PATIENCE).success());
        }
    }
}

#[test]
fn asking_for_the_version_touches_nothing() {
    let store = Store::default();
    let output = store.run(&["--version"]);
    assert!(output.status.success());
    assert!(!store.data().exists());
    let fastest = (0..20)
        .map(|_| {
            let started = Instant::now();
            let asked = Command::new(tally()).arg("--version").stdout(Stdio::null()).status();
            assert!(asked.unwrap().success());
            started.elapsed()
        })
        .min();
    assert!(fastest < Some(Duration::from_millis(50)), "{fastest:?}");
}
