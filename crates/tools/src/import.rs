//! Ledger files from elsewhere, read into the store as runs that touch no board.
//!
//! A chained ledger is kept byte for byte, with its own hashes; a plain one gets a chain when it is
//! read in. What cannot be read is counted and named, and keeps nothing else out.

use crate::host::Host;
use domain::ledger::{Fault, Hash, Head, Line, Lines, Parsed, Report, Verifier, read};
use domain::{RunId, Seq, Timestamp, canonical};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use store::table::import::ImportRow;
use store::{RunHandle, StoreError, Tx};

/// What became of one file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Account {
    pub file: String,
    /// `ledger`, `plain ledger`, or `unknown`.
    pub format: String,
    pub runs: Vec<String>,
    pub lines: u64,
    pub mapped: u64,
    /// Lines that were passed over, by why.
    pub skipped: BTreeMap<String, u64>,
    pub bad: Vec<BadLine>,
    pub events: u64,
    /// What is wrong with the ledger as a whole; it was read in as it is.
    pub problems: Vec<String>,
    /// Spellings that were forgiven: a byte order mark, lines that end as on Windows, later kinds.
    pub notes: BTreeMap<String, u64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BadLine {
    pub line: u64,
    pub why: String,
}

const BAD_LISTED_MAX: usize = 100;

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

/// Reads one ledger file into the store.
pub fn import(host: &Host, path: &Path) -> std::io::Result<Account> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut account =
        Account { file: path.display().to_string(), format: "unknown".into(), ..Account::default() };
    if !path.is_file() {
        account.bad.push(BadLine { line: 0, why: "is not a file".into() });
        return Ok(account);
    }
    let Some(first) = survey(path, &mut account)? else { return Ok(account) };
    let file = path.to_owned();
    let at = host.now();
    let own = first.chained;
    let written = host.store().write_wait(move |tx| write(tx, &file, &first, &name, at));
    match written {
        Ok(Written { run, events, skipped }) => {
            account.format = if own { "ledger" } else { "plain ledger" }.into();
            account.runs = vec![run.to_string()];
            account.events = events;
            account.mapped = events;
            account.skipped = skipped;
        }
        Err(error) => return Err(std::io::Error::other(error.to_string())),
    }
    Ok(account)
}

/// What the first pass found.
struct First {
    run: RunId,
    name: String,
    chained: bool,
}

/// Reads the whole file once: whose it is, and what is wrong with it.
fn survey(path: &Path, account: &mut Account) -> std::io::Result<Option<First>> {
    let mut verifier = Verifier::new(None, &[]);
    let mut first: Option<(String, bool, Vec<u8>)> = None;
    let mut notes = std::mem::take(&mut account.notes);
    let mut cut = false;
    lines(std::fs::File::open(path)?, &mut notes, |line| {
        account.lines += 1;
        match line.parse() {
            Ok(parsed) => {
                let start = || (parsed.run.clone().into_owned(), parsed.link.is_some(), line.bytes.to_vec());
                first.get_or_insert_with(start);
                verifier.event(Some(line.number), &parsed);
            }
            Err(why) => {
                cut |= line.unended;
                verifier.unreadable(line.number, &why, line.unended);
                if account.bad.len() < BAD_LISTED_MAX {
                    account.bad.push(BadLine { line: line.number, why: why.to_string() });
                }
            }
        }
        true
    })?;
    let report: Report = verifier.finish();
    for (kind, events) in &report.unknown {
        notes.insert(format!("unknown kind or layout: {kind}"), *events);
    }
    account.notes = notes;
    let unreadable = |fault: Fault| matches!(fault, Fault::Unreadable | Fault::Encoding);
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

/// One transaction: the whole run, or nothing.
fn write(
    tx: &mut Tx<'_>,
    path: &Path,
    first: &First,
    file: &str,
    at: Timestamp,
) -> Result<Written, StoreError> {
    let mut skipped = BTreeMap::new();
    let known = tx.run_handle(first.run)?;
    let imported = tx.import_get(first.run)?.is_some();
    if known.is_some() && !imported {
        let lines = tx.run_get(first.run)?.map_or(0, |run| run.events.0);
        skipped.insert("this store's own run".to_owned(), lines);
        return Ok(Written { run: first.run, events: 0, skipped });
    }
    let import = ImportRow { name: short(&first.name), file: file.to_owned(), chained: first.chained };
    let mut run = match known {
        Some(run) => run,
        None => tx.import_start(first.run, at, &import)?,
    };
    let (mut events, mut failed) = (0, None);
    let mut skip = |why: &str| *skipped.entry(why.to_owned()).or_default() += 1;
    let file = std::fs::File::open(path).map_err(StoreError::internal)?;
    lines(file, &mut BTreeMap::new(), |line| {
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
