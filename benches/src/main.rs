//! `./dev bench`: what the product claims about speed and size, as ratios measured in one run on
//! whatever machine this is. Prints a table; with a path as argument, writes it there as Markdown.

mod client;
mod inspect;
mod owner;
mod raw;
mod report;
mod suites;

use anyhow::{Context, Result};
use report::Report;
use std::path::PathBuf;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<()> {
    let tally =
        std::env::var_os("TALLY").map(PathBuf::from).context("TALLY names no release build of tally")?;
    let mut report = Report::default();
    if std::env::var_os("INSPECT_STORE").is_some() {
        inspect::inspector(&tally, &mut report).await?;
        return done(&report);
    }
    suites::programs(&tally, &mut report).await?;
    suites::one_caller(&tally, &mut report).await?;
    suites::many_callers(&tally, &mut report).await?;
    suites::list(&tally, &mut report).await?;
    suites::lost_edits(&tally, &mut report).await?;
    done(&report)
}

fn done(report: &Report) -> Result<()> {
    report.print();
    if let Some(path) = std::env::args_os().nth(1) {
        report.write(&PathBuf::from(path))?;
    }
    Ok(())
}
