//! `tally export`: a run as a ledger file.

use crate::access::Access;
use crate::out;
use crate::progress::{Progress, Unit};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write a run as a ledger file, one event a line
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run's id, or its first letters
    run: String,
    /// The file to write; `-` is standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) async fn run(args: Args, data: &Path) -> Result<ExitCode> {
    let access = Access::open(data).await?;
    let facts = access.view("run", json!({"run": args.run})).await?;
    let (id, of) = (facts["run"]["id"].clone(), facts["run"]["events"].as_u64().unwrap_or(0));
    if args.out.as_os_str() == "-" {
        write(&access, &id, of, std::io::stdout().lock()).await?;
        return Ok(ExitCode::SUCCESS);
    }
    // Under another name until it is whole: a half file is never taken for an export.
    let half = args.out.with_extension("part");
    let file =
        std::fs::File::create(&half).with_context(|| format!("{} cannot be written", half.display()))?;
    let written = write(&access, &id, of, BufWriter::new(file)).await;
    if let Err(error) = written {
        // What is half written is of no use; that it cannot be removed is not the news.
        let _ = std::fs::remove_file(&half);
        return Err(error);
    }
    std::fs::rename(&half, &args.out).with_context(|| format!("{} cannot be written", args.out.display()))?;
    out::complain(&format!(
        "{of} events of run {} in {}",
        id.as_str().unwrap_or_default(),
        args.out.display()
    ));
    Ok(ExitCode::SUCCESS)
}

async fn write(access: &Access, run: &serde_json::Value, of: u64, mut file: impl Write) -> Result<()> {
    let mut progress = Progress::start("written", Unit::Events);
    let mut from = 1;
    while from <= of {
        let part = access.bytes("run_lines", json!({"run": run, "from": from})).await?;
        let lines = part.iter().filter(|byte| **byte == b'\n').count() as u64;
        if lines == 0 {
            break;
        }
        file.write_all(&part)?;
        from += lines;
        if !progress.tell(from - 1, of) {
            bail!("stopped after {} of {of} events; nothing was written", from - 1);
        }
    }
    file.flush()?;
    Ok(())
}
