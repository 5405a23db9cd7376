//! Sessions that agents wrote down themselves.

use super::job::Job;
use super::{Account, BadLine, Halt, Tokens};
use crate::host::Host;
use crate::observe::{Teller, record};
use domain::Source;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use store::StoreError;
use transcripts::{Found, Reading};

/// Reads one file. `None`: it is of no format that is known.
pub(super) fn import(host: &Host, path: &Path, job: &Arc<Job>) -> Result<Option<Account>, Halt> {
    let mut reading = Reading::new(false);
    let mut found = Vec::new();
    let mut file = job.meter(std::fs::File::open(path)?, 1);
    let mut piece = vec![0; 256 * 1024];
    loop {
        match file.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => reading.feed(&piece[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
        found.append(&mut reading.take());
    }
    reading.end();
    found.append(&mut reading.take());
    let Some(format) = reading.format() else { return Ok(None) };
    let mut account = account(path, format, &reading, &found);
    let (sessions, sources, now) = (reading.sessions().clone(), host.sources().clone(), host.now());
    let name = account.file.clone();
    let account = host.store().write_wait(move |tx| -> Result<Account, StoreError> {
        let teller = Teller { name: format, source: Source::Transcript };
        let recorded = record(tx, teller, &sessions, found, &sources, now)?;
        account.runs = recorded.ids().iter().map(ToString::to_string).collect();
        account.events = recorded.events;
        if recorded.known > 0 {
            account.notes.insert("events that were there already".to_owned(), recorded.known);
        }
        tx.file_put(&name, &serde_json::to_string(&account)?, &recorded.runs, now)?;
        Ok(account)
    })?;
    Ok(Some(account))
}

fn account(path: &Path, format: &str, reading: &Reading, found: &[Found]) -> Account {
    let tally = reading.tally();
    let mut tokens = Tokens::default();
    for usage in found.iter().filter_map(|found| found.payload.usage()) {
        tokens.read += usage.tokens_in;
        tokens.written += usage.tokens_out;
    }
    Account {
        file: path.display().to_string(),
        format: format.to_owned(),
        lines: tally.lines,
        mapped: tally.mapped,
        skipped: tally.skipped.clone(),
        bad: tally.bad.iter().map(|bad| BadLine { line: bad.line, why: bad.why.clone() }).collect(),
        bad_lines: tally.bad_lines,
        notes: tally.notes.clone(),
        tokens: Some(tokens),
        ..Account::default()
    }
}
