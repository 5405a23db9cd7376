//! A real `tally serve` in a folder of its own, ended when it goes out of scope.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) struct Owner {
    child: Child,
    pub(crate) authority: String,
    pub(crate) token: String,
    pub(crate) dir: PathBuf,
}

impl Owner {
    pub(crate) fn start(tally: &Path, dir: &Path) -> Result<Owner> {
        let ready = dir.join("ready.json");
        let mut child = Command::new(tally)
            .args(["serve", "--port", "0", "--data"])
            .arg(dir.join("data"))
            .arg("--ready-file")
            .arg(&ready)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let began = Instant::now();
        let file: Value = loop {
            if let Some(status) = child.try_wait()? {
                bail!("the owner ended at once: {status}");
            }
            match std::fs::read(&ready) {
                Ok(bytes) => break serde_json::from_slice(&bytes)?,
                Err(_) if began.elapsed() < Duration::from_secs(10) => {
                    std::thread::sleep(Duration::from_millis(5))
                }
                Err(error) => bail!("the owner did not come up: {error}"),
            }
        };
        let url = file["mcp_url"].as_str().context("no mcp_url")?;
        let authority = url.trim_start_matches("http://").split('/').next().unwrap_or_default().to_owned();
        let token =
            std::fs::read_to_string(file["token_file"].as_str().context("no token_file")?)?.trim().to_owned();
        Ok(Owner { child, authority, token, dir: dir.join("data") })
    }

    /// Resident memory in MB.
    pub(crate) fn resident_mb(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
        let kb: f64 = line.split_whitespace().nth(1).context("no figure")?.parse()?;
        Ok(kb / 1024.0)
    }

    /// Processor time used so far, in seconds.
    pub(crate) fn cpu_seconds(&self) -> Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
        Ok(ticks / 100.0)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
