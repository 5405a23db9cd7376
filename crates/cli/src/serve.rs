//! `tally serve`: owns the store without a window, until Ctrl-C.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, anyhow};
use endpoint::{ServeOptions, Server};
use tools::{Host, OpenError, Options};

use crate::out;

/// Own the store and listen for agents, without a window
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agents' port [default: the one used before, else 8737, else a free one]
    #[arg(long)]
    port: Option<u16>,
    /// Serve the board to a browser as well
    #[arg(long)]
    ui: bool,
    /// The browser's port [default: the one used before, else 8738, else a free one]
    #[arg(long, requires = "ui")]
    ui_port: Option<u16>,
    /// Write {"mcp_url","ui_url","token_file","pid","data","nonce","version"} here once both listen
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
    /// End after this many seconds without any agent, browser or window
    #[arg(long, value_name = "SECS")]
    linger: Option<u64>,
}

/// Another owner holds the store.
pub(crate) const EXIT_HELD: u8 = 3;

pub(crate) async fn run(args: Args, data: &Path) -> Result<ExitCode> {
    let mut stop = std::pin::pin!(stopped()?);
    let host = match Host::open(Options {
        data: data.to_owned(),
        person: program::person(),
        witness: program::witness_dir(data),
    }) {
        Ok(host) => host,
        Err(OpenError::Held { message, .. }) => {
            out::complain(&format!("tally: {message}"));
            return Ok(ExitCode::from(EXIT_HELD));
        }
        Err(error @ OpenError::Unusable { .. }) => return Err(anyhow!(error)),
    };
    // A log that cannot be written stops nothing.
    let _log = program::log(data, "tally");
    let options =
        ServeOptions { port: args.port, ui: args.ui, ui_port: args.ui_port, ready_file: args.ready_file };
    let server = match Server::start(host.clone(), options).await {
        Ok(server) => server,
        Err(error) => {
            host.close();
            return Err(anyhow!(error));
        }
    };
    tracing::info!(url = server.mcp_url(), pid = std::process::id(), "listening");
    out::complain(&format!(
        "Agents connect to {} (token in {})",
        server.mcp_url(),
        server.token_file().display()
    ));
    if let Some(link) = server.login_link() {
        out::complain(&format!("The board, once: {link}"));
    }
    let linger = args.linger.map(Duration::from_secs);
    tokio::select! {
        () = &mut stop => out::complain("Closing."),
        () = abandoned(&server, linger) => out::complain("Nobody is here any more. Closing."),
    }
    server.shutdown().await;
    host.close();
    tracing::info!("closed");
    Ok(ExitCode::SUCCESS)
}

/// Comes back when nobody has been there for `linger`; never without it.
async fn abandoned(server: &Server, linger: Option<Duration>) {
    let Some(linger) = linger else { return std::future::pending().await };
    loop {
        match server.idle() {
            Some(idle) if idle >= linger => return,
            Some(idle) => tokio::time::sleep((linger - idle).min(Duration::from_secs(1))).await,
            None => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
}

/// Ctrl-C, or the polite signal of a service manager.
#[cfg(unix)]
fn stopped() -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn stopped() -> Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    })
}
