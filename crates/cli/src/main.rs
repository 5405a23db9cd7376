//! `tally`: the board without a window. One file for each subcommand; this one only chooses.

mod access;
mod call;
mod demo;
mod doctor;
mod export;
mod import;
mod mcp;
mod open;
mod out;
mod progress;
mod replay;
mod runs;
mod serve;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::{Parser, Subcommand};

/// The one true record of what AI coding agents do, kept on this machine.
#[derive(Debug, Parser)]
#[command(name = "tally", version, propagate_version = true, max_term_width = 100)]
struct Cli {
    /// The folder that holds the store
    /// [default: $TALLYBOARD_DATA, else tallyboard in the user's data folder]
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Args),
    Mcp(mcp::Args),
    Open(open::Args),
    Call(call::Args),
    Runs(runs::Args),
    Import(import::Args),
    Export(export::Args),
    Verify(verify::Args),
    Replay(replay::Args),
    Demo(demo::Args),
    Doctor(doctor::Args),
}

/// Exit codes: 0 done · 1 refused or failed · 2 the command line is wrong · 3 another owner holds the store.
/// `verify` and `import` have their own, in their help.
fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(code) => code,
        Err(error) => {
            out::complain(&format!("tally: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let data = program::data_dir(cli.data.as_deref()).map_err(|error| anyhow!(error))?;
    match cli.command {
        Command::Serve(args) => on_one_worker(serve::run(args, &data)),
        Command::Mcp(args) => on_one_thread(mcp::run(args, &data)),
        Command::Open(args) => on_one_thread(open::run(args, &data)),
        Command::Call(args) => on_one_thread(call::run(args, &data)),
        Command::Runs(args) => on_one_thread(runs::run(args, &data)),
        Command::Import(args) => on_one_thread(import::run(args, &data)),
        Command::Export(args) => on_one_thread(export::run(args, &data)),
        Command::Verify(args) => on_one_thread(verify::run(args, &data)),
        Command::Replay(args) => on_one_thread(replay::run(args, &data)),
        Command::Demo(args) => on_one_worker(demo::run(args)),
        Command::Doctor(args) => on_one_thread(doctor::run(args, &data)),
    }
}

/// One thread for all connections: a call passes through several short tasks, and handing each of
/// them to another core costs more than it gains. The store has threads of its own.
fn on_one_worker<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?.block_on(work)
}

/// Quick to start: what a bridge or a single question needs.
fn on_one_thread<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}
