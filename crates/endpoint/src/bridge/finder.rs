//! Finds the owner of the store, and starts one when there is none.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use crate::client::Line;
use crate::remote::{FindError, connect};
use crate::secret::AGENT_FILE;

/// An owner that a bridge started ends after this long without anybody.
const LINGER_S: &str = "600";
/// `serve`'s exit code when another owner holds the store.
const EXIT_HELD: i32 = 3;
const PAUSE_MIN: Duration = Duration::from_millis(15);
const PAUSE_MAX: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) struct Finder {
    data: PathBuf,
    program: PathBuf,
    found: Mutex<Found>,
    ever: AtomicBool,
}

#[derive(Debug, Default)]
struct Found {
    line: Option<Line>,
    started: Option<Child>,
}

impl Finder {
    pub(super) fn new(data: PathBuf, program: PathBuf) -> Finder {
        Finder { data, program, found: Mutex::default(), ever: AtomicBool::new(false) }
    }

    /// Whether there ever was an owner.
    pub(super) fn ever(&self) -> bool {
        self.ever.load(Ordering::Relaxed)
    }

    /// The owner as it is known now; asks nobody.
    pub(super) async fn known(&self) -> Option<Line> {
        self.found.lock().await.line.clone()
    }

    /// A proven owner, by `deadline`; `Err` says what to do.
    pub(super) async fn owner(&self, deadline: Instant) -> Result<Line, String> {
        let mut found = self.found.lock().await;
        let mut pause = PAUSE_MIN;
        let mut failures = 0;
        loop {
            if let Some(line) = &found.line {
                return Ok(line.clone());
            }
            let told = match connect(&self.data, AGENT_FILE).await {
                Ok((file, line)) => {
                    tracing::info!(pid = file.pid, url = file.mcp_url, "found the owner");
                    self.ever.store(true, Ordering::Relaxed);
                    found.line = Some(line);
                    continue;
                }
                Err(error) => error.to_string(),
            };
            if let Some(code) = found.start_if_none(&self.program, &self.data)?
                && code != EXIT_HELD
            {
                failures += 1;
            }
            if failures == 3 || Instant::now() + pause > deadline {
                let data = self.data.display();
                return Err(format!("{told}; run `tally serve --data {data}` to see why no owner comes up"));
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    /// An owner that is there already.
    pub(super) async fn owner_if_there(&self) -> Result<Line, FindError> {
        let mut found = self.found.lock().await;
        if let Some(line) = &found.line {
            return Ok(line.clone());
        }
        let (_, line) = connect(&self.data, AGENT_FILE).await?;
        self.ever.store(true, Ordering::Relaxed);
        Ok(found.line.insert(line).clone())
    }

    /// `line` is broken; the next request looks anew.
    pub(super) async fn lost(&self, line: &Line) {
        let mut found = self.found.lock().await;
        found.line.take_if(|known| known.is(line));
    }
}

impl Found {
    /// Starts an owner unless one that we started is still coming up. `Some`: how the last one ended.
    fn start_if_none(&mut self, program: &Path, data: &Path) -> Result<Option<i32>, String> {
        let mut ended = None;
        if let Some(child) = &mut self.started {
            match child.try_wait() {
                Ok(None) => return Ok(None),
                Ok(Some(status)) => ended = status.code(),
                Err(error) => tracing::warn!(%error, "the owner's end cannot be known"),
            }
        }
        let mut command = Command::new(program);
        command.arg("serve").arg("--data").arg(data).args(["--linger", LINGER_S]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // The owner belongs to everybody: a signal for this bridge's group is not for it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child =
            command.spawn().map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        tracing::info!(pid = child.id(), "started an owner");
        self.started = Some(child);
        Ok(ended)
    }
}
