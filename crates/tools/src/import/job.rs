//! An import as a piece of work: which files, how far it is, and that it can be stopped. What was
//! stopped has left whole files or none; started again, it passes over what is there already.

use super::{Account, Halt, ledger, transcript};
use crate::host::Host;
use crate::{Code, Refusal};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;
use ts_rs::TS;

/// Jobs that are over are remembered for as long as this many came after them.
const REMEMBERED: usize = 20;
/// Folders within folders are followed this far.
const DEEP: usize = 12;
/// Folders that hold no one's sessions.
const PASSED_OVER: [&str; 3] = [".git", "node_modules", "target"];

#[derive(Debug, Deserialize, TS)]
#[serde(tag = "ask", rename_all = "camelCase", deny_unknown_fields)]
pub enum ImportParams {
    /// How far a job is; without its number: the newest. `from`: accounts before that are known.
    Look {
        #[ts(optional, type = "number")]
        job: Option<u64>,
        #[serde(default)]
        #[ts(optional, as = "Option<usize>")]
        from: usize,
    },
    /// Files, or folders with files somewhere in them, on the machine of the store.
    Start { paths: Vec<PathBuf> },
    Stop {
        #[ts(type = "number")]
        job: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ImportState {
    /// Another job is at work.
    Waiting,
    Running,
    Done,
    Stopped,
}

/// How far an import is.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ImportJob {
    #[ts(type = "number")]
    pub job: u64,
    pub state: ImportState,
    /// What it is at.
    pub file: Option<String>,
    pub files_done: usize,
    pub files: usize,
    #[ts(type = "number")]
    pub bytes_done: u64,
    #[ts(type = "number")]
    pub bytes: u64,
    #[ts(type = "number | null")]
    pub left_ms: Option<u64>,
    /// Of the files that are done, from the asked one on.
    pub accounts: Vec<Account>,
}

#[derive(Debug, Default)]
pub(crate) struct Jobs {
    known: Mutex<VecDeque<Arc<Job>>>,
    last: AtomicU64,
    /// One job at a time writes.
    turn: Mutex<()>,
}

#[derive(Debug)]
pub(crate) struct Job {
    id: u64,
    stop: AtomicBool,
    /// Bytes read, and bytes there are.
    done: AtomicU64,
    of: AtomicU64,
    stands: Mutex<Stands>,
}

#[derive(Debug)]
struct Stands {
    state: ImportState,
    began: Instant,
    file: Option<String>,
    files: usize,
    accounts: Vec<Account>,
}

impl Jobs {
    /// The program closes: what is under way ends soon, and is not waited for.
    pub(crate) fn stop(&self) {
        self.known.lock().iter().for_each(|job| job.stop());
    }
}

impl Job {
    fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// The file, counted while it is read by one of several passes; it cannot be read on after a stop.
    pub(super) fn meter(self: &Arc<Job>, file: std::fs::File, passes: u64) -> Metered {
        Metered { file, job: Arc::clone(self), passes }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    fn over(&self) -> bool {
        matches!(self.stands.lock().state, ImportState::Done | ImportState::Stopped)
    }

    fn view(&self, from: usize) -> ImportJob {
        let stands = self.stands.lock();
        let of = self.of.load(Ordering::Relaxed);
        let done = self.done.load(Ordering::Relaxed).min(of);
        let running = stands.state == ImportState::Running && done > 0;
        let spent = u64::try_from(stands.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        ImportJob {
            job: self.id,
            state: stands.state,
            file: stands.file.clone(),
            files_done: stands.accounts.len(),
            files: stands.files,
            bytes_done: done,
            bytes: of,
            left_ms: running.then(|| spent.saturating_mul(of - done) / done),
            accounts: stands.accounts.get(from..).unwrap_or_default().to_vec(),
        }
    }
}

#[derive(Debug)]
pub(super) struct Metered {
    file: std::fs::File,
    job: Arc<Job>,
    passes: u64,
}

impl std::io::Read for Metered {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        if self.job.stopped() {
            return Err(std::io::Error::other("stopped"));
        }
        let read = self.file.read(bytes)?;
        self.job.done.fetch_add(read as u64 / self.passes, Ordering::Relaxed);
        Ok(read)
    }
}

/// The view: starts, stops, or looks.
pub(crate) fn load(host: &Host, params: ImportParams) -> Result<Option<ImportJob>, Refusal> {
    let jobs = host.imports();
    let find = |id: u64| {
        let found = jobs.known.lock().iter().find(|job| job.id == id).cloned();
        found.ok_or_else(|| {
            Refusal::new(Code::NotFound, format!("there is no import {id}")).issue(
                "job",
                "is not known, or was over long ago",
                json!(id),
                "the number of an import that was started since the program began",
                "start it again; what was read in before is passed over",
            )
        })
    };
    match params {
        ImportParams::Look { job: Some(id), from } => Ok(Some(find(id)?.view(from))),
        ImportParams::Look { job: None, from } => Ok(jobs.known.lock().back().map(|job| job.view(from))),
        ImportParams::Stop { job } => {
            let job = find(job)?;
            job.stop();
            Ok(Some(job.view(0)))
        }
        ImportParams::Start { paths } => start(host, paths).map(|job| Some(job.view(0))),
    }
}

/// `~` is the home folder, as people write it.
fn from_home(path: PathBuf) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(below), Some(home)) => home.join(below),
        _ => path,
    }
}

fn start(host: &Host, paths: Vec<PathBuf>) -> Result<Arc<Job>, Refusal> {
    let paths: Vec<_> = paths.into_iter().map(from_home).collect();
    if let Some(path) = paths.iter().find(|path| !path.is_absolute()) {
        return Err(Refusal::new(Code::InvalidInput, "a path must be absolute; nothing was read.").issue(
            "paths",
            "is relative",
            json!(path),
            "a path from the root of the disk",
            "send the whole path",
        ));
    }
    if paths.is_empty() {
        return Err(Refusal::new(Code::InvalidInput, "there is nothing to read.").issue(
            "paths",
            "is empty",
            json!([]),
            "at least one file or folder",
            "name the files or folders to read in",
        ));
    }
    let jobs = host.imports();
    let job = Arc::new(Job {
        id: jobs.last.fetch_add(1, Ordering::Relaxed) + 1,
        stop: AtomicBool::new(false),
        done: AtomicU64::new(0),
        of: AtomicU64::new(0),
        stands: Mutex::new(Stands {
            state: ImportState::Waiting,
            began: Instant::now(),
            file: None,
            files: 0,
            accounts: Vec::new(),
        }),
    });
    let mut known = jobs.known.lock();
    known.push_back(Arc::clone(&job));
    if let Some(oldest) = known.front().filter(|oldest| oldest.over())
        && known.len() > REMEMBERED
    {
        let oldest = oldest.id;
        known.retain(|job| job.id != oldest);
    }
    drop(known);
    let (host, work) = (host.clone(), Arc::clone(&job));
    let spawned = std::thread::Builder::new().name("import".into()).spawn(move || {
        let turn = host.imports().turn.lock();
        perform(&host, &work, paths);
        drop(turn);
    });
    spawned.map_err(|error| {
        job.stands.lock().state = ImportState::Stopped;
        crate::host::unavailable(&store::StoreError::internal(error))
    })?;
    Ok(job)
}

fn perform(host: &Host, job: &Arc<Job>, paths: Vec<PathBuf>) {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() { walk(&path, DEEP, &mut files) } else { files.push(path) }
    }
    let files: Vec<_> =
        files.into_iter().map(|path| (std::fs::metadata(&path).map_or(0, |file| file.len()), path)).collect();
    job.of.store(files.iter().map(|(bytes, _)| bytes).sum(), Ordering::Relaxed);
    {
        let mut stands = job.stands.lock();
        (stands.state, stands.files, stands.began) = (ImportState::Running, files.len(), Instant::now());
    }
    let mut before = 0;
    for (bytes, path) in files {
        if job.stopped() {
            break;
        }
        job.stands.lock().file = Some(path.display().to_string());
        match file(host, &path, job) {
            Ok(account) => job.stands.lock().accounts.push(account),
            Err(_) if job.stopped() => break,
            // One file that cannot be read keeps the others from nothing.
            Err(Halt(why)) => job.stands.lock().accounts.push(refused(&path, why)),
        }
        before += bytes;
        job.done.store(before, Ordering::Relaxed);
    }
    let mut stands = job.stands.lock();
    let all = stands.accounts.len() == stands.files;
    stands.state = if all { ImportState::Done } else { ImportState::Stopped };
    stands.file = None;
}

fn file(host: &Host, path: &Path, job: &Arc<Job>) -> Result<Account, Halt> {
    let kind = match std::fs::metadata(path) {
        Ok(file) if file.is_file() && ledger::is_one(path)? => return ledger::import(host, path, job),
        Ok(file) if file.is_file() => {
            let begun = job.done.load(Ordering::Relaxed);
            if let Some(account) = transcript::import(host, path, job)? {
                return Ok(account);
            }
            // The account of a file that is nothing we know names what is wrong with its lines.
            job.done.store(begun, Ordering::Relaxed);
            return ledger::import(host, path, job);
        }
        Ok(file) if file.is_dir() => "it is a folder without files",
        Ok(_) => "it is not an ordinary file",
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "there is no such file",
        Err(error) => return Err(error.into()),
    };
    Ok(refused(path, kind.into()))
}

fn refused(path: &Path, why: String) -> Account {
    let file = path.display().to_string();
    Account { file, format: "unknown".into(), why: Some(why), ..Account::default() }
}

/// Every file below a folder, in the order of the names. Links are not followed.
fn walk(folder: &Path, deep: usize, files: &mut Vec<PathBuf>) {
    let start = files.len();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.map(|entry| (entry.path(), entry.file_type())).collect();
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (path, kind) in entries {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        match kind {
            Ok(kind) if kind.is_dir() && deep > 0 && !PASSED_OVER.contains(&name) => {
                walk(&path, deep - 1, files);
            }
            Ok(kind) if kind.is_file() => files.push(path),
            _ => {}
        }
    }
    if files.len() == start && deep == DEEP {
        files.push(folder.to_owned());
    }
}
