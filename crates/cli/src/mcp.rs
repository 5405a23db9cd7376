//! `tally mcp`: what an agent's client starts to speak MCP over standard input and output.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use endpoint::bridge::{BridgeOptions, bridge};

/// Bridge an agent that speaks MCP over standard input and output (its client starts this)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The project's folder [default: the git root around the working folder, else the store's default board]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// The agent's name [default: what its client says]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
}

pub(crate) async fn run(args: Args, data: &Path) -> Result<ExitCode> {
    let project = match args.project {
        Some(told) => {
            Some(std::path::absolute(&told).with_context(|| format!("{} is no path", told.display()))?)
        }
        None => std::env::current_dir().ok().and_then(|folder| git_root(&folder)),
    };
    // Only when asked for: a bridge must be quick, and the owner's log has what matters.
    let log = std::env::var_os("TALLYBOARD_LOG").and_then(|_| program::log(data, "tally-mcp").ok());
    let program = std::env::current_exe().context("this program cannot find itself, to start an owner")?;
    let options = BridgeOptions { data: data.to_owned(), project, agent: args.agent, program };
    bridge(options).await.map_err(|error| anyhow!(error))?;
    drop(log);
    // A read of standard input may still be waiting on its thread; there is nothing left to wait for.
    std::process::exit(0)
}

fn git_root(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_the_nearest_folder_with_git_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("outer/inner/src");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::create_dir(dir.path().join("outer/.git")).unwrap();
        // A worktree or submodule has a file there.
        std::fs::write(dir.path().join("outer/inner/.git"), "gitdir: elsewhere").unwrap();
        assert_eq!(git_root(&inner), Some(dir.path().join("outer/inner")));
        assert_eq!(git_root(&dir.path().join("outer")), Some(dir.path().join("outer")));
        assert_eq!(git_root(dir.path()), None);
    }
}
