//! A running owner as its clients on this machine see it, and a stranger in its place.

#![expect(clippy::unwrap_used, reason = "a test stops where it stops")]

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use endpoint::feed::Message;
use endpoint::remote::{FindError, Owner, RemoteError};
use endpoint::{ServeOptions, Server};
use futures::StreamExt as _;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tools::{Code, Failure, Host, Options, Surface};

async fn start(data: &Path) -> (Server, Host) {
    let host = Host::open(Options { data: data.into(), person: "Ada".into(), witness: None }).unwrap();
    let options = ServeOptions { port: Some(0), ui: true, ui_port: Some(0), ready_file: None };
    let server = Server::start(host.clone(), options).await.unwrap();
    (server, host)
}

#[tokio::test(flavor = "multi_thread")]
async fn view_call_feed_and_link() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(Owner::find(dir.path(), Surface::Cli).await, Err(FindError::NotRunning(_))));
    let (server, host) = start(dir.path()).await;
    let owner = Owner::find(dir.path(), Surface::Window).await.unwrap();
    assert_eq!(owner.file().mcp_url, server.mcp_url());
    let mut feed = owner.feed().await.unwrap();
    let Some(Ok(Message::Hello { owner: nonce, .. })) = feed.next().await else { panic!("no hello") };
    assert_eq!(nonce, server.nonce());

    let subject = "é漢🚀 \"quoted\"\n".trim();
    let answer =
        owner.call(Some("/some/folder"), "progress_create", json!({"subject": subject}), None).await.unwrap();
    assert_eq!(answer.structured["task"]["subject"], subject);
    let runs = owner.view("runs", json!({"limit": 5})).await.unwrap();
    assert_eq!(runs["runs"][0]["source"], "window");
    assert_eq!(runs["runs"][0]["agent"], "Ada");
    let changed = tokio::time::timeout(Duration::from_secs(1), feed.next()).await.unwrap().unwrap().unwrap();
    assert!(
        matches!(&changed, Message::Change { tags, .. } if tags.to_string().contains("\"task\"")),
        "{changed:?}"
    );

    let refused = owner.call(None, "progress_update", json!({}), None).await.unwrap_err();
    assert!(
        matches!(refused, RemoteError::Failed(Failure::Refused(refusal)) if refusal.code == Code::InvalidInput)
    );
    let refused = owner.call(None, "nope", json!({}), None).await.unwrap_err();
    assert!(refused.to_string().contains("there is no tool"), "{refused}");
    assert!(matches!(owner.view("nope", json!({})).await, Err(RemoteError::Failed(_))));
    assert!(owner.login_link().await.unwrap().starts_with(server.ui_url().unwrap()));

    // The owner goes: the feed says so once and ends, quickly.
    let started = std::time::Instant::now();
    server.shutdown().await;
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    host.close();
    let rest: Vec<_> = feed.collect().await;
    assert!(matches!(rest.last(), Some(Err(RemoteError::Lost(_)))), "{rest:?}");
    assert!(matches!(owner.view("board", json!({})).await, Err(RemoteError::Lost(_))));
    assert!(matches!(Owner::find(dir.path(), Surface::Cli).await, Err(FindError::NotRunning(_))));
}

/// What a program at the wrong end of a connection got to read.
type Heard = Arc<Mutex<Vec<u8>>>;

/// Passes everything on to the real owner and back, and listens.
async fn relay(to: u16) -> (u16, Heard) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = Heard::default();
    let ears = heard.clone();
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let ears = ears.clone();
            tokio::spawn(async move {
                let mut far = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
                let (mut up, mut down) = (vec![0; 4096], vec![0; 4096]);
                loop {
                    tokio::select! {
                        Ok(count) = near.read(&mut up) => {
                            if count == 0 { break }
                            ears.lock().unwrap().extend_from_slice(&up[..count]);
                            // The owner would refuse another Host, so the relay mends it.
                            let text = String::from_utf8_lossy(&up[..count]).replace(&format!(":{port}"), &format!(":{to}"));
                            far.write_all(text.as_bytes()).await.unwrap();
                        }
                        Ok(count) = far.read(&mut down) => {
                            if count == 0 { break }
                            near.write_all(&down[..count]).await.unwrap();
                        }
                        else => break,
                    }
                }
            });
        }
    });
    (port, heard)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_on_the_port_never_sees_the_token() {
    let dir = tempfile::tempdir().unwrap();
    let (server, host) = start(dir.path()).await;
    let real: u16 = server.mcp_url().split([':', '/']).nth(4).unwrap().parse().unwrap();
    let (port, heard) = relay(real).await;
    let path = dir.path().join("owner.json");
    let file =
        std::fs::read_to_string(&path).unwrap().replace(&format!(":{real}/mcp"), &format!(":{port}/mcp"));
    std::fs::write(&path, file).unwrap();
    let found = Owner::find(dir.path(), Surface::Cli).await;
    assert!(matches!(found, Err(FindError::NotProven(_))), "{found:?}");
    let heard = String::from_utf8_lossy(&heard.lock().unwrap()).into_owned();
    assert!(heard.contains("POST /proof") && heard.contains("Proof "), "the relay was asked: {heard}");
    for name in ["person.token", "agent.token"] {
        let token = std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert!(!heard.contains(&token), "{name} went out");
    }
    assert!(!heard.to_ascii_lowercase().contains("bearer"), "{heard}");
    server.shutdown().await;
    host.close();
}
