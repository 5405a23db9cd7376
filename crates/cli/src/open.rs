//! `tally open`: a link that signs a browser in, from the running owner or from one started for it.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use endpoint::remote::{FindError, Owner};
use tools::Surface;

use crate::out;

/// Print a one-time link that opens the board in a browser; start an owner if none runs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// How long a fresh owner may take to listen.
const START_MAX: Duration = Duration::from_secs(15);
/// A fresh owner ends after this long without anybody.
const LINGER_S: &str = "600";

pub(crate) async fn run(_args: Args, data: &Path) -> Result<ExitCode> {
    let owner = match Owner::find(data, Surface::Cli).await {
        Ok(owner) => owner,
        Err(FindError::NotRunning(_)) => start(data).await?,
        Err(error) => return Err(anyhow!(error)),
    };
    out::line(&owner.login_link().await?);
    Ok(ExitCode::SUCCESS)
}

async fn start(data: &Path) -> Result<Owner> {
    let program = std::env::current_exe().context("this program cannot find itself, to start an owner")?;
    let mut command = Command::new(program);
    command.arg("serve").arg("--data").arg(data).args(["--ui", "--linger", LINGER_S]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().context("cannot start an owner")?;
    let started = Instant::now();
    loop {
        match Owner::find(data, Surface::Cli).await {
            Ok(owner) => return Ok(owner),
            Err(error) if started.elapsed() > START_MAX => return Err(anyhow!(error)),
            Err(_) => {}
        }
        // Code 3: another owner was faster, and will answer.
        if let Some(status) = child.try_wait()?
            && status.code() != Some(3)
        {
            bail!(
                "no owner comes up ({status}); run `tally serve --ui --data {}` to see why",
                data.display()
            );
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
