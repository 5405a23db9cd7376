//! Ledger files, chained or plain.
//!
//! A chained ledger is kept byte for byte, with its own hashes; a plain one gets a chain when it is
//! read in. What cannot be read is counted and named, and keeps nothing else out.

use super::job::Job;
use super::{Account, Halt};
use crate::host::Host;
use domain::ledger::{Fault, Hash, Head, Line, Lines, Parsed, Report, Verifier, read};
use domain::{RunId, Seq, Timestamp, canonical};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use store::table::import::ImportRow;
use store::{RunHandle, StoreError, Tx};

/// The file is gone through twice: first to see what it is, then to write.
const PASSES: u64 = 2;

/// Goes through a file line by line; `notes` counts what was forgiven. Blank lines are passed over.
pub fn lines(
    mut file: impl std::io::Read,
    notes: &mut BTreeMap<String, u64>,
    mut each: impl FnMut(Line<'_>) -> bool,
) -> std::io::Result<()> {
    let (mut lines, mut piece) = (Lines::default(), vec![0; 256 * 1024]);
    loop {
        match file.read(&mut piece) {
            Ok(0) => break,
            Ok(read) if lines.add(&piece[..read], &mut each) => {}
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let forgiven = lines.end(&mut each);
    notes.extend(forgiven.into_iter().map(|(what, count)| (what.to_owned(), count)));
    Ok(())
}

/// Whether one of the first lines is an event of a ledger.
pub(super) fn is_one(path: &Path) -> std::io::Result<bool> {
    use std::io::Read;
    const LOOKED_AT: u64 = 1 << 20;
    let (mut found, mut looked) = (false, 0);
    lines(std::fs::File::open(path)?.take(LOOKED_AT), &mut BTreeMap::new(), |line| {
        looked += 1;
        found = line.parse().is_ok();
        !found && looked < 200
    })?;
    Ok(found)
}

/// Reads one ledger file into the store.
pub(super) fn import(host: &Host, path: &Path, job: &Arc<Job>) -> Result<Account, Halt> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut account =
        Account { file: path.display().to_string(), format: "unknown".into(), ..Account::default() };
    let Some(first) = survey(path, job, &mut account)? else {
        account.why =
            Some(if account.lines == 0 { "it is empty" } else { "no line of it is an event" }.into());
        return Ok(account);
    };
    let (file, work, at, own) = (path.to_owned(), Arc::clone(job), host.now(), first.chained);
    let readable = account.lines - account.bad_lines;
    let written = host
        .store()
        .write_wait(move |tx| write(tx, File { path: &file, name: &name, readable }, &first, &work, at))?;
    account.format = if own { "ledger" } else { "plain ledger" }.into();
    account.runs = vec![written.run.to_string()];
    account.events = written.events;
    account.mapped = written.events;
    account.skipped = written.skipped;
    Ok(account)
}

/// What the first pass found.
struct First {
    run: RunId,
    name: String,
    chained: bool,
}

/// Reads the whole file once: whose it is, and what is wrong with it.
fn survey(path: &Path, job: &Arc<Job>, account: &mut Account) -> Result<Option<First>, Halt> {
    let mut verifier = Verifier::new(None, &[]);
    let mut first: Option<(String, bool, Vec<u8>)> = None;
    let mut notes = std::mem::take(&mut account.notes);
    lines(job.meter(std::fs::File::open(path)?, PASSES), &mut notes, |line| {
        account.lines += 1;
        match line.parse() {
            Ok(parsed) => {
                let start = || (parsed.run.clone().into_owned(), parsed.link.is_some(), line.bytes.to_vec());
                first.get_or_insert_with(start);
                verifier.event(Some(line.number), &parsed);
            }
            Err(why) => {
                verifier.unreadable(line.number, &why, line.unended);
                let cut = if line.unended { "is cut off, the file ends within it; " } else { "" };
                account.bad(line.number, format!("{cut}{why}"));
            }
        }
        true
    })?;
    let report: Report = verifier.finish();
    for (kind, events) in &report.unknown {
        notes.insert(format!("unknown kind or layout: {kind}"), *events);
    }
    account.notes = notes;
    let unreadable = |fault: Fault| matches!(fault, Fault::Unreadable | Fault::Encoding | Fault::Truncated);
    account.problems =
        report.problems.iter().filter(|p| !unreadable(p.fault)).map(|p| p.text.clone()).collect();
    Ok(first.map(|(name, chained, line)| First { run: run_id(&name, chained, &line), name, chained }))
}

/// A chained ledger names its run; a plain one may call it anything.
fn run_id(name: &str, chained: bool, first_line: &[u8]) -> RunId {
    if let (true, Ok(id)) = (chained, name.parse()) {
        return id;
    }
    let mut seed = format!("tallyboard/import/v1\n{name}\n").into_bytes();
    seed.extend_from_slice(first_line);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Hash::of(&seed).0[..16]);
    RunId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

struct Written {
    run: RunId,
    events: u64,
    skipped: BTreeMap<String, u64>,
}

struct File<'a> {
    path: &'a Path,
    name: &'a str,
    /// Lines that are events.
    readable: u64,
}

/// One transaction: the whole run, or nothing.
fn write(
    tx: &mut Tx<'_>,
    file: File<'_>,
    first: &First,
    job: &Arc<Job>,
    at: Timestamp,
) -> Result<Written, StoreError> {
    let mut skipped = BTreeMap::new();
    let known = tx.run_handle(first.run)?;
    let imported = tx.import_get(first.run)?.is_some();
    if known.is_some() && !imported {
        skipped.insert("this store's own run".to_owned(), file.readable);
        return Ok(Written { run: first.run, events: 0, skipped });
    }
    let import = ImportRow { name: short(&first.name), file: file.name.to_owned(), chained: first.chained };
    let mut run = match known {
        Some(run) => run,
        None => tx.import_start(first.run, at, &import)?,
    };
    let (mut events, mut failed) = (0, None);
    let mut skip = |why: &str| *skipped.entry(why.to_owned()).or_default() += 1;
    let file = std::fs::File::open(file.path).map_err(StoreError::internal)?;
    lines(job.meter(file, PASSES), &mut BTreeMap::new(), |line| {
        let Ok(parsed) = line.parse() else { return true };
        if *parsed.run != *first.name {
            skip("another run");
        } else if parsed.seq <= run.head().seq.0 {
            skip(if imported { "there already" } else { "repeated or out of order" });
        } else {
            match add(tx, &mut run, &parsed, line.bytes) {
                Ok(()) => events += 1,
                Err(error) => failed = Some(error),
            }
        }
        failed.is_none()
    })
    .map_err(StoreError::internal)?;
    if let Some(error) = failed {
        return Err(error);
    }
    if events > 0 {
        tx.checkpoint(&run, at)?;
    }
    Ok(Written { run: first.run, events, skipped })
}

fn short(name: &str) -> String {
    domain::AgentName::lossy(name).as_str().to_owned()
}

fn add(tx: &mut Tx<'_>, run: &mut RunHandle, parsed: &Parsed<'_>, line: &[u8]) -> Result<(), StoreError> {
    let mut value: Value = serde_json::from_slice(line)?;
    match parsed.link {
        Some(link) => {
            if let Some(members) = value.as_object_mut() {
                members.shift_remove("hash");
            }
            let body = canonical::to_string(&value);
            let event = read(&body).map_err(StoreError::internal)?;
            tx.import_event(run, event, &body, link.written)?;
        }
        None => {
            let at = value["at"].as_str().and_then(Timestamp::parse).unwrap_or(Timestamp::from_unix_ms(0));
            let before = Head { seq: Seq(parsed.seq - 1), hash: run.head().hash };
            let (body, head) = before.append(run.id, &parsed.kind, at, value["payload"].take());
            let event = read(&body).map_err(StoreError::internal)?;
            tx.import_event(run, event, &body, head.hash)?;
        }
    }
    Ok(())
}
