//! The guard before a real listener: who gets in, who does not, and that nothing of a refused
//! request is looked at.

#![expect(clippy::unwrap_used, reason = "a test stops where it stops")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use endpoint::{ServeOptions, Server};
use serde_json::{Value, json};
use tools::{Host, Options};

struct Owner {
    server: Server,
    host: Host,
    dir: tempfile::TempDir,
}

async fn owner() -> Owner {
    let dir = tempfile::tempdir().unwrap();
    let host = Host::open(Options { data: dir.path().into(), person: "Ada".into(), witness: None }).unwrap();
    let options = ServeOptions { port: Some(0), ui: true, ui_port: Some(0), ready_file: None };
    let server = Server::start(host.clone(), options).await.unwrap();
    Owner { server, host, dir }
}

impl Owner {
    fn port(&self) -> u16 {
        port_in(self.server.mcp_url())
    }

    fn ui_port(&self) -> u16 {
        port_in(self.server.ui_url().unwrap())
    }

    fn token(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.path().join(name)).unwrap()
    }

    /// Where the store itself stands; the feed's position may follow an answer by a moment.
    async fn position(&self) -> u64 {
        self.host.view("board", json!({})).await.unwrap()["position"].as_u64().unwrap()
    }

    async fn end(self) {
        self.server.shutdown().await;
        self.host.close();
    }
}

fn port_in(url: &str) -> u16 {
    url.rsplit(':').next().unwrap().trim_end_matches("/mcp").parse().unwrap()
}

/// One request as raw bytes, and the whole answer. No library that would mend or refuse it first.
async fn send(port: u16, text: String) -> (u16, String) {
    tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A refused connection may be cut while we still read; what came is what counts.
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, answer)
    })
    .await
    .unwrap()
}

fn request(line: &str, headers: &[String], body: &str) -> String {
    let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
    for header in headers.iter().filter(|header| !header.is_empty()) {
        text.push_str(header);
        text.push_str("\r\n");
    }
    format!("{text}Content-Length: {}\r\n\r\n{body}", body.len())
}

fn create() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "progress_create", "arguments": {"subject": "made"}}})
    .to_string()
}

const ACCEPT: &str = "Content-Type: application/json\r\nAccept: application/json, text/event-stream";

fn hosts(port: u16) -> Vec<(String, bool)> {
    let header = |text: &str| format!("Host: {text}");
    let mut hosts = vec![
        (header(&format!("127.0.0.1:{port}")), true),
        (header(&format!("localhost:{port}")), true),
        (String::new(), false),
        ("Host:".into(), false),
        (format!("Host: 127.0.0.1:{port}\r\nHost: 127.0.0.1:{port}"), false),
        (format!("Host: 127.0.0.1:{port}\r\nHost: evil.example"), false),
    ];
    let other = [
        format!("user@localhost:{port}"),
        format!("localhost.:{port}"),
        format!("[::1]:{port}"),
        format!("0.0.0.0:{port}"),
        format!("2130706433:{port}"),
        format!("127.1:{port}"),
        format!("127.0.0.1:{}", port ^ 1),
        "127.0.0.1".into(),
        format!("evil.example:{port}"),
        format!("127.0.0.1:{port}.evil.example"),
    ];
    hosts.extend(other.iter().map(|host| (header(host), false)));
    hosts
}

fn origins(port: u16) -> Vec<(String, bool)> {
    let header = |text: &str| format!("Origin: {text}");
    let mut origins = vec![
        (String::new(), true),
        (header(&format!("http://127.0.0.1:{port}")), true),
        (header(&format!("http://localhost:{port}")), true),
    ];
    let other = [
        "null".into(),
        "https://evil.example".into(),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{}", port ^ 1),
        format!("http://localhost:{port}.evil.example"),
        format!("http://user@localhost:{port}"),
    ];
    origins.extend(other.iter().map(|origin| (header(origin), false)));
    origins.push((format!("Origin: http://localhost:{port}\r\nOrigin: https://evil.example"), false));
    origins
}

#[tokio::test(flavor = "multi_thread")]
async fn of_800_cells_only_the_right_ones_reach_the_board() {
    let owner = owner().await;
    let port = owner.port();
    let right = owner.token("agent.token");
    let wrong = format!("{}{}", &right[..42], if right.ends_with('A') { "B" } else { "A" });
    let tokens = [
        (format!("Authorization: Bearer {right}"), true),
        (String::new(), false),
        (format!("Authorization: Bearer {wrong}"), false),
        (format!("Authorization: Basic {right}"), false),
        (format!("Authorization: Bearer {}", owner.token("person.token")), false),
    ];
    let (hosts, origins) = (hosts(port), origins(port));
    assert_eq!((hosts.len(), origins.len(), tokens.len()), (16, 10, 5));
    let mut admitted = 0;
    for (host, own_host) in &hosts {
        for (origin, own_origin) in &origins {
            for (token, right_token) in &tokens {
                let before = owner.position().await;
                let headers = [host.clone(), origin.clone(), token.clone(), ACCEPT.into()];
                let (status, answer) = send(port, request("POST /mcp", &headers, &create())).await;
                let cell = format!("{host:?} {origin:?} {token:.26}: {answer}");
                if *own_host && *own_origin && *right_token {
                    assert_eq!(status, 200, "{cell}");
                    assert!(answer.contains("Created #"), "{cell}");
                    admitted += 1;
                } else {
                    assert!((400..404).contains(&status), "{cell}");
                    assert_eq!(owner.position().await, before, "{cell}");
                }
                assert!(!answer.to_ascii_lowercase().contains("access-control"), "{cell}");
            }
        }
    }
    assert_eq!(admitted, 2 * 3);
    let board = owner.host.view("board", json!({})).await.unwrap();
    assert_eq!(board["tasks"].as_array().unwrap().len(), 6, "one task for each admitted cell");
    owner.end().await;
}

/// The headers promise a body that never comes: a guard that waited for it would not answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_does_not_wait_for_the_body() {
    let owner = owner().await;
    let port = owner.port();
    let (host, token) =
        (format!("Host: 127.0.0.1:{port}"), format!("Authorization: Bearer {}", owner.token("agent.token")));
    let cases = [
        ("POST /mcp", vec!["Host: evil.example".into(), token.clone()], 403),
        ("POST /mcp", vec![host.clone(), token.clone(), "Origin: https://evil.example".into()], 403),
        ("POST /mcp", vec![host.clone(), token.clone(), "Sec-Fetch-Site: cross-site".into()], 403),
        ("POST /mcp", vec![host.clone()], 401),
        ("PUT /mcp", vec![host.clone(), token.clone()], 405),
        ("POST /nothing", vec![host.clone(), token.clone()], 404),
        ("POST /api/call", vec![host.clone(), token.clone()], 403),
        (
            "POST /mcp",
            vec![
                host.clone(),
                token.clone(),
                "Content-Type: text/plain".into(),
                "Accept: application/json, text/event-stream".into(),
            ],
            415,
        ),
        ("POST /mcp", vec![host.clone(), token.clone(), "Content-Type: application/json".into()], 406),
    ];
    for (line, headers, expected) in cases {
        let mut text = format!("{line} HTTP/1.1\r\nContent-Length: 500000\r\n");
        headers.iter().for_each(|header| text.push_str(&format!("{header}\r\n")));
        let (status, answer) = send(port, format!("{text}\r\n")).await;
        assert_eq!(status, expected, "{line} {headers:?}: {answer}");
        // No client may send its next request where the rest of this body is expected.
        assert!(answer.contains("connection: close"), "{answer}");
        let body = answer.split("\r\n\r\n").nth(1).unwrap();
        let told: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"));
        assert!(told["error"]["message"].is_string(), "{answer}");
    }
    owner.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn methods_paths_and_sites() {
    let owner = owner().await;
    let port = owner.port();
    let base = [
        format!("Host: 127.0.0.1:{port}"),
        format!("Authorization: Bearer {}", owner.token("agent.token")),
        ACCEPT.to_owned(),
    ];
    let with = |extra: &str| [base.to_vec(), vec![extra.to_owned()]].concat();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    for method in ["GET", "OPTIONS", "PUT", "PATCH", "HEAD", "TRACE"] {
        let (status, answer) = send(port, request(&format!("{method} /mcp"), &base, "")).await;
        assert_eq!(status, 405, "{answer}");
        assert!(answer.contains("allow: POST, DELETE"), "{answer}");
        assert!(!answer.to_ascii_lowercase().contains("access-control"), "{answer}");
    }
    for (site, expected) in
        [("none", 200), ("same-origin", 403), ("same-site", 403), ("cross-site", 403), ("x", 403)]
    {
        let headers = with(&format!("Sec-Fetch-Site: {site}"));
        assert_eq!(send(port, request("POST /mcp", &headers, &list)).await.0, expected, "{site}");
    }
    // What Node's fetch sends with everything.
    let (status, _) = send(port, request("POST /mcp", &with("Sec-Fetch-Mode: cors"), &list)).await;
    assert_eq!(status, 200);
    // A request line with a whole URL of another host.
    let (status, _) =
        send(port, request(&format!("POST http://evil.example:{port}/mcp"), &base, &list)).await;
    assert_eq!(status, 403);
    for path in ["/", "/mcp/", "/MCP", "/index.html", "/login", "/api/view/../mcp", "/bridge/other"] {
        let (status, answer) = send(port, request(&format!("POST {path}"), &base, &list)).await;
        assert_eq!(status, 404, "{path}: {answer}");
    }
    // Each token opens its own doors only.
    let person = [base[0].clone(), format!("Authorization: Bearer {}", owner.token("person.token"))];
    for (headers, line, expected) in [
        (&base[..], "GET /api/view/status", 403),
        (&base[..], "GET /api/feed", 403),
        (&base[..], "POST /api/login-link", 403),
        (&person[..], "GET /api/view/status", 200),
        (&person[..], "POST /api/login-link", 200),
        (&person[..], "GET /bridge/hold", 403),
        (&person[..], "POST /mcp", 403),
    ] {
        assert_eq!(send(port, request(line, headers, "")).await.0, expected, "{line}");
    }
    owner.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_gets_in_by_a_link_once_and_then_by_its_cookie() {
    let owner = owner().await;
    let port = owner.ui_port();
    let host = format!("Host: 127.0.0.1:{port}");
    let get = async |path: &str, cookie: &str| {
        send(port, request(&format!("GET {path}"), &[host.clone(), cookie.to_owned()], "")).await
    };
    for path in ["/", "/index.html", "/api/view/board", "/api/feed", "/assets/x.js"] {
        assert_eq!(get(path, "").await.0, 401, "{path}");
        assert_eq!(get(path, "Cookie: tally_session=1.AAAA").await.0, 401, "{path}");
    }
    assert_eq!(get("/login?k=", "").await.0, 401);
    let link = owner.server.login_link().unwrap();
    let path = link.split_once(&format!(":{port}")).unwrap().1.to_owned();
    // A page of another site follows the link for its visitor.
    let crossed = [host.clone(), "Sec-Fetch-Site: cross-site".into()];
    assert_eq!(send(port, request(&format!("GET {path}"), &crossed, "")).await.0, 403);
    let (status, answer) = get(&path, "").await;
    assert_eq!(status, 303, "{answer}");
    assert_eq!(get(&path, "").await.0, 401, "a link works once");
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap().to_owned();
    assert!(cookie.contains("; HttpOnly; SameSite=Strict; Path=/"), "{cookie}");
    let cookie = format!("Cookie: other=1; {}", cookie.split(';').next().unwrap());
    let (status, answer) = get("/", &cookie).await;
    assert_eq!(status, 200);
    assert!(answer.contains("content-security-policy: default-src 'none'; script-src 'self';"), "{answer}");
    assert!(answer.contains("referrer-policy: no-referrer") && answer.contains("nosniff"), "{answer}");
    assert_eq!(get("/api/view/board", &cookie).await.0, 200);
    assert_eq!(get("/api/view/board?params=%7B%22nope%22%3A1%7D", &cookie).await.0, 400);
    assert_eq!(get("/mcp", &cookie).await.0, 200, "a place inside the page, nothing else");

    let call = json!({"tool": "progress_create", "arguments": {"subject": "by hand"}}).to_string();
    let post = async |origin: &str, kind: &str, body: &str| {
        let headers = [host.clone(), cookie.clone(), origin.to_owned(), kind.to_owned()];
        send(port, request("POST /api/call", &headers, body)).await
    };
    let own = format!("Origin: http://127.0.0.1:{port}");
    let kind = "Content-Type: application/json";
    let before = owner.position().await;
    assert_eq!(post("", kind, &call).await.0, 403, "no Origin");
    assert_eq!(post("Origin: https://evil.example", kind, &call).await.0, 403);
    assert_eq!(post(&format!("Origin: http://127.0.0.1:{}", owner.port()), kind, &call).await.0, 403);
    assert_eq!(post(&own, "Content-Type: text/plain", &call).await.0, 415);
    assert_eq!(post(&own, kind, r#"{"tool":"progress_list","tool":"progress_create"}"#).await.0, 400);
    assert_eq!(post(&own, kind, r#"{"tool":"progress_list","more":1}"#).await.0, 400);
    assert_eq!(owner.position().await, before);
    let (status, answer) = post(&own, kind, &call).await;
    assert_eq!(status, 200);
    assert!(answer.contains(r#"{"ok":true,"answer":{"text":"Created #1"#), "{answer}");
    let (_, answer) = post(&own, kind, r#"{"tool":"nope","arguments":{}}"#).await;
    assert!(answer.contains(r#""ok":false"#) && answer.contains("INVALID_INPUT"), "{answer}");
    owner.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_connections_than_there_is_room_for_push_out_strangers_only() {
    let owner = owner().await;
    let port = owner.port();
    let idle: Vec<_> = (0..400).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    let headers = [
        format!("Host: 127.0.0.1:{port}"),
        format!("Authorization: Bearer {}", owner.token("agent.token")),
        ACCEPT.to_owned(),
    ];
    let started = std::time::Instant::now();
    let (status, _) = send(port, request("POST /mcp", &headers, &create())).await;
    assert_eq!(status, 200);
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    drop(idle);
    owner.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forged_session_is_sent_back_to_initialize() {
    let owner = owner().await;
    let port = owner.port();
    let base = vec![
        format!("Host: 127.0.0.1:{port}"),
        format!("Authorization: Bearer {}", owner.token("agent.token")),
        ACCEPT.to_owned(),
    ];
    let open = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let (_, answer) = send(port, request("POST /mcp", &base, &open.to_string())).await;
    let id = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string();
    let with = |id: &str| [base.clone(), vec![format!("Mcp-Session-Id: {id}")]].concat();
    assert_eq!(send(port, request("POST /mcp", &with(&id), &list)).await.0, 200);
    let forged = format!("{}.AAAAAAAAAAAAAAAAAAAAAA", id.split_once('.').unwrap().0);
    for wrong in [forged.as_str(), "made-up", ""] {
        let (status, answer) = send(port, request("POST /mcp", &with(wrong), &list)).await;
        assert_eq!(status, 404, "{answer}");
        assert!(answer.contains("send initialize again") && answer.contains("\"id\":2"), "{answer}");
    }
    assert_eq!(send(port, request("DELETE /mcp", &with(&forged), "")).await.0, 404);
    assert_eq!(send(port, request("DELETE /mcp", &with(&id), "")).await.0, 200);
    assert_eq!(send(port, request("DELETE /mcp", &base, "")).await.0, 400);
    owner.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ready_file_is_private_and_goes_at_the_end() {
    let owner = owner().await;
    let path = owner.dir.path().join("owner.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(file["mcp_url"], owner.server.mcp_url());
    assert_eq!(file["pid"], std::process::id());
    assert!(file["ui_url"].as_str().unwrap().contains("/login?k="));
    assert!(Path::new(file["token_file"].as_str().unwrap()).is_file());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let Owner { server, host, dir } = owner;
    server.shutdown().await;
    host.close();
    assert!(!dir.path().join("owner.json").exists());
}
