//! The table: what was measured, beside what, against which goal.

use anyhow::Result;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
}

struct Row {
    what: String,
    measured: String,
    goal: String,
    met: bool,
}

impl Report {
    pub(crate) fn add(&mut self, what: &str, measured: String, goal: &str, met: bool) {
        self.rows.push(Row { what: what.into(), measured, goal: goal.into(), met });
    }

    fn markdown(&self) -> String {
        let mut out = String::from("| what | measured | goal | met |\n|---|---|---|---|\n");
        for Row { what, measured, goal, met } in &self.rows {
            let _ = writeln!(out, "| {what} | {measured} | {goal} | {} |", if *met { "yes" } else { "NO" });
        }
        out
    }

    #[expect(clippy::print_stdout, reason = "the table is what this program is for")]
    pub(crate) fn print(&self) {
        println!("{}", self.markdown());
    }

    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        std::fs::write(path, self.markdown())?;
        Ok(())
    }
}

/// The value below which the given share of the samples lies.
pub(crate) fn percentile(samples: &mut [Duration], share: f64) -> Duration {
    samples.sort_unstable();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index"
    )]
    let at = ((samples.len() as f64 * share) as usize).min(samples.len() - 1);
    samples[at]
}

pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
