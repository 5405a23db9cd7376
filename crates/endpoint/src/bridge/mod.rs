//! The stdio bridge: JSON-RPC lines on standard input, HTTP to the owner, one line for each answer.
//!
//! A bridge process is one run. It finds the owner or starts one, proves it before each connection,
//! and sends a message again after a break under the same `Tally-Call`, so that a call whose answer
//! was lost is answered from the first time and written once.

mod courier;
mod finder;
mod lines;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::deny::Denied;
use crate::message::Message;
use courier::Courier;
use lines::Line;

/// What a bridge is told.
#[derive(Debug, Clone)]
pub struct BridgeOptions {
    pub data: PathBuf,
    /// The folder whose board this is; `None`: the store's default board.
    pub project: Option<PathBuf>,
    /// The agent's name, instead of what the client says.
    pub agent: Option<String>,
    /// The program that starts an owner: `<program> serve --data <data> --linger 600`.
    pub program: PathBuf,
}

/// How long what is under way may take once the client has gone.
const FINISH_MAX: Duration = Duration::from_millis(700);
/// The same, while no owner has answered yet: a script that pipes its lines in waits for its answers.
const FINISH_FIRST_MAX: Duration = Duration::from_secs(10);
/// Requests under way at a time.
const UNDER_WAY_MAX: usize = 64;

/// Runs until standard input ends or a signal comes. The caller should then end the process.
pub async fn bridge(options: BridgeOptions) -> Result<(), String> {
    let (answers, written) = lines::writer();
    let courier = Arc::new(Courier::new(options)?);
    let holding = tokio::spawn(Arc::clone(&courier).hold());
    let mut under_way = JoinSet::new();
    let mut lines = lines::reader();
    let mut stop = std::pin::pin!(stopped());
    let (reason, signalled) = loop {
        let line = tokio::select! {
            reason = &mut stop => break (reason, true),
            line = lines.recv() => line,
        };
        let message = match line {
            None => break ("completed", false),
            Some(Line::Message(bytes)) => Message::read(&bytes),
            Some(Line::TooLong) => Err(lines::too_long()),
        };
        let message = match message {
            Ok(message) => message,
            Err(denied) => {
                refuse(&answers, &denied).await;
                continue;
            }
        };
        while under_way.len() >= UNDER_WAY_MAX {
            under_way.join_next().await;
        }
        let opening = message.method() == "initialize";
        let (courier, answers) = (Arc::clone(&courier), answers.clone());
        let work = async move {
            if let Some(answer) = courier.deliver(&message).await {
                let _ = answers.send(answer).await;
            }
        };
        if opening {
            // What follows belongs to the session that this opens.
            tokio::select! {
                reason = &mut stop => break (reason, true),
                () = work => {}
            }
        } else {
            under_way.spawn(work);
        }
    };
    tracing::info!(reason, "the client has gone");
    let at_once = signalled || courier.has_found_owner();
    let patience = if at_once { FINISH_MAX } else { FINISH_FIRST_MAX };
    let all = async { while under_way.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(patience, all).await;
    under_way.abort_all();
    holding.abort();
    courier.say_good_bye(reason).await;
    drop(answers);
    let _ = tokio::time::timeout(Duration::from_millis(200), written).await;
    Ok(())
}

async fn refuse(answers: &mpsc::Sender<Vec<u8>>, denied: &Denied) {
    let _ = answers.send(denied.rpc().to_string().into_bytes()).await;
}

/// The reason a signal gives. Clients end a bridge with SIGTERM when their session is over (Codex and
/// Gemini do, each time); SIGINT is somebody's Ctrl-C.
#[cfg(unix)]
async fn stopped() -> &'static str {
    use tokio::signal::unix::{SignalKind, signal};
    match (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) {
        (Ok(mut terminate), Ok(mut interrupt)) => {
            tokio::select! {
                _ = terminate.recv() => "completed",
                _ = interrupt.recv() => "cancelled",
            }
        }
        _ => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn stopped() -> &'static str {
    match tokio::signal::ctrl_c().await {
        Ok(()) => "cancelled",
        Err(_) => std::future::pending().await,
    }
}
