//! The one road in: parse → policy → one transaction of state and event → answer.
//!
//! Every accepted or rejected call is one event, and a refused call changes nothing else.

use crate::caller::{Caller, Identity, Run as RunOf, Surface};
use crate::sources::Sources;
use crate::tool::{Cx, Run, Stop, Tool, task_fields, task_line};
use crate::{Answer, Code, Refusal};
use domain::event::{
    CallAnswered, CallRejected, Cause, Layout, Payload, ProjectRef, Refused, RejectionMarked, RunEnded,
    RunResumed, RunStarted,
};
use domain::ledger::{Hash, sha256_hex};
use domain::text::IdempotencyKey;
use domain::{
    ActorKind, AgentName, Body, EndReason, Position, ProjectId, RunId, Source, TaskId, TaskNo, Timestamp,
    Version, canonical,
};
use serde_json::{Value, json};
use store::table::answer::StoredAnswer;
use store::table::project::ProjectRow;
use store::{Reader, RunHandle, StoreError, Tx};

/// A person who did nothing for this long sits down anew.
const SITTING_MS: i64 = 30 * 60 * 1000;

/// The board that exists without a folder.
const DEFAULT_PROJECT: &str = "Board";

/// A call that passed or failed the check, ready for the writer.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub caller: Caller,
    /// The tool's own name, or what the caller called it when there is none.
    pub name: String,
    pub tool: Option<&'static Tool>,
    /// Checked; numbers are whole.
    pub arguments: Value,
    /// What the ledger keeps of a refused call.
    pub raw: String,
    pub stripped: Vec<String>,
    /// Already refused: only write it down.
    pub refused: Option<Refusal>,
    pub suppressed: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    Answer(Answer),
    Refused(Refusal),
}

/// Performs one call inside the writer's transaction.
pub(crate) fn perform(tx: &mut Tx<'_>, request: &Request, sources: &Sources) -> Result<Outcome, StoreError> {
    let at = (sources.now)();
    let mut run = match run_of(tx, &request.caller, at, sources)? {
        Ok(run) => run,
        Err(refusal) => return Ok(Outcome::Refused(refusal)),
    };
    let project =
        tx.project_by_id(run.project)?.ok_or_else(|| StoreError::internal("a run's project is gone"))?;
    let outcome = decide_and_write(tx, request, &mut run, &project, at, sources)?;
    if matches!(request.caller.identity, Identity::Agent { run: RunOf::Unattributed, .. }) {
        tx.append(&mut run, at, &RunEnded::new(EndReason::Completed).into())?;
    }
    Ok(outcome)
}

/// Writes down that a question was answered, and which versions the answer showed.
pub(crate) fn record(
    tx: &mut Tx<'_>,
    caller: &Caller,
    at: Timestamp,
    answered: CallAnswered,
    sources: &Sources,
) -> Result<(), StoreError> {
    let Ok(mut run) = run_of(tx, caller, at, sources)? else { return Ok(()) };
    tx.append(&mut run, at, &answered.into())?;
    if matches!(caller.identity, Identity::Agent { run: RunOf::Unattributed, .. }) {
        tx.append(&mut run, at, &RunEnded::new(EndReason::Completed).into())?;
    }
    Ok(())
}

/// What an answered question leaves in the ledger.
pub(crate) fn answered(request: &Request, answer: &Answer, position: Position) -> CallAnswered {
    let one = answer.structured.get("task");
    let tasks = answer.structured["tasks"].as_array().into_iter().flatten().chain(one);
    let seen = tasks.filter_map(|task| {
        let no = TaskNo::parse(task["id"].as_str()?)?;
        Some((no, Version(u32::try_from(task["version"].as_u64()?).ok()?)))
    });
    CallAnswered {
        v: Layout::default(),
        tool: request.name.clone(),
        arguments: Body::new(&request.raw),
        seen: seen.collect(),
        position,
        digest: sha256_hex(answer.text.as_bytes()),
        bytes: answer.text.len() as u64,
        stripped: request.stripped.clone(),
    }
}

fn decide_and_write(
    tx: &mut Tx<'_>,
    request: &Request,
    run: &mut RunHandle,
    project: &ProjectRow,
    at: Timestamp,
    sources: &Sources,
) -> Result<Outcome, StoreError> {
    let fingerprint = fingerprint(request);
    let sent_before = request.caller.call_id.as_deref().map(|id| (format!("run:{}", run.id), id));
    if let Some((scope, id)) = &sent_before
        && let Some(stored) = tx.answer_get(project, scope, id)?
    {
        return if stored.fingerprint == fingerprint {
            Ok(Outcome::Answer(stored_answer(&stored)?))
        } else {
            reject(tx, request, run, project, at, mismatch("the transport's call id"))
        };
    }
    if let Some(refusal) = &request.refused {
        return reject(tx, request, run, project, at, refusal.clone());
    }
    let key = request.arguments["idempotencyKey"].as_str();
    let scope = actor_kind(&request.caller.identity).as_str();
    if let Some(key) = key
        && let Some(stored) = tx.answer_get(project, scope, key)?
    {
        return if stored.fingerprint == fingerprint {
            Ok(Outcome::Answer(replayed(stored_answer(&stored)?)))
        } else {
            reject(tx, request, run, project, at, mismatch(&format!("idempotencyKey \"{key}\"")))
        };
    }
    let Some(Run::Write(decide)) = request.tool.map(|tool| &tool.run) else {
        return Err(StoreError::internal(format!("{} does not write", request.name)));
    };
    let cause =
        Cause { tool: request.name.clone(), key: key.map(str::to_owned), stripped: request.stripped.clone() };
    let cx = Cx { reader: tx, project, new_id: TaskId((sources.uuid)()), cause };
    let payload = match decide(&cx, request.arguments.clone()) {
        Ok(payload) => payload,
        Err(Stop::Refused(refusal)) => return reject(tx, request, run, project, at, *refusal),
        Err(Stop::Store(error)) => return Err(error),
    };
    tx.append(run, at, &payload)?;
    let answer = answer_of(tx, project, &payload)?;
    let stored = StoredAnswer { fingerprint, answer: serde_json::to_string(&answer)? };
    if let Some(key) = key {
        tx.answer_put(project, scope, key, &stored, at)?;
    }
    if let Some((scope, id)) = &sent_before {
        tx.answer_put(project, scope, id, &stored, at)?;
    }
    Ok(Outcome::Answer(answer))
}

/// What the call asks for, apart from its key.
fn fingerprint(request: &Request) -> Hash {
    let mut arguments = request.arguments.clone();
    if let Value::Object(map) = &mut arguments {
        map.shift_remove("idempotencyKey");
    }
    let asked = json!({"tool": request.name, "arguments": arguments});
    Hash::of(canonical::to_string(&asked).as_bytes())
}

fn stored_answer(stored: &StoredAnswer) -> Result<Answer, StoreError> {
    Ok(serde_json::from_str(&stored.answer)?)
}

fn replayed(mut answer: Answer) -> Answer {
    answer.text.push_str("\n(replayed: this call was carried out before; nothing changed now)");
    answer.structured["replayed"] = true.into();
    answer
}

fn mismatch(what: &str) -> Refusal {
    let message = format!("{what} was used before for another call; nothing changed.");
    Refusal::new(Code::IdempotencyMismatch, message).issue(
        "idempotencyKey",
        "used before with another body",
        Value::Null,
        "a new key for a new call, or exactly the same call again",
        "send a key you have not used, or repeat the first call unchanged",
    )
}

fn answer_of(tx: &Tx<'_>, project: &ProjectRow, payload: &Payload) -> Result<Answer, StoreError> {
    let (did, no) = match payload {
        Payload::RejectionMarked(event) => return Ok(marked(event)),
        Payload::TaskCreated(event) => ("Created", event.task),
        Payload::TaskUpdated(event) => ("Updated", event.task),
        Payload::TaskDeleted(event) => ("Deleted", event.task),
        Payload::TaskRestored(event) => ("Restored", event.task),
        other => {
            let message = format!("a tool decided on {}, which has no answer", other.kind());
            return Err(StoreError::internal(message));
        }
    };
    let row = tx.task_get(project, no)?.ok_or_else(|| StoreError::internal("the task is gone"))?;
    Ok(Answer { text: format!("{did} {}", task_line(&row)), structured: json!({"task": task_fields(&row)}) })
}

fn marked(event: &RejectionMarked) -> Answer {
    let RejectionMarked { run, seq, expected, .. } = event;
    let text = if *expected { "Marked as expected." } else { "The mark is taken back." };
    let structured = json!({"chain": {"run": run, "seq": seq, "expected": expected}});
    Answer { text: text.into(), structured }
}

fn reject(
    tx: &mut Tx<'_>,
    request: &Request,
    run: &mut RunHandle,
    project: &ProjectRow,
    at: Timestamp,
    refusal: Refusal,
) -> Result<Outcome, StoreError> {
    let aimed = request.arguments["id"].as_str().and_then(TaskNo::parse);
    let task = match aimed {
        Some(no) if tx.task_get(project, no)?.is_some() => Some(no),
        _ => None,
    };
    let refused = Refused {
        tool: request.name.chars().take(64).collect(),
        code: refusal.code.as_str().into(),
        told: refusal.to_text(),
        task,
        arguments: request.raw.clone(),
        paths: wrong_paths(&refusal),
        stripped: request.stripped.clone(),
        suppressed: request.suppressed,
    };
    tx.append(run, at, &CallRejected::new(refused).into())?;
    Ok(Outcome::Refused(refusal))
}

/// Where the arguments were wrong; a refusal of the whole call names no place.
fn wrong_paths(refusal: &Refusal) -> Vec<String> {
    refusal.issues.iter().map(|issue| issue.path.clone()).filter(|path| !path.is_empty()).take(50).collect()
}

pub(crate) fn actor_kind(identity: &Identity) -> ActorKind {
    match identity {
        Identity::Person { .. } => ActorKind::Person,
        Identity::Agent { .. } => ActorKind::Agent,
    }
}

/// How the calls of an agent's run are tied together.
pub(crate) fn run_key(run: &RunOf) -> Option<(Source, &str)> {
    match run {
        RunOf::Bridge { key } => Some((Source::Bridge, key)),
        RunOf::Session { key } => Some((Source::Session, key)),
        RunOf::Meta { key } => Some((Source::Meta, key)),
        RunOf::Unattributed => None,
    }
}

fn surface_source(surface: Surface) -> Source {
    match surface {
        Surface::Window => Source::Window,
        Surface::Browser => Source::Browser,
        Surface::Cli => Source::Cli,
    }
}

/// The run that the caller's calls belong to, if there is one, and whether it is open: a run that
/// was taken for dead goes on when its key calls again.
pub(crate) fn known_run(
    reader: &Reader<'_>,
    caller: &Caller,
    at: Timestamp,
) -> Result<Option<(RunHandle, bool)>, StoreError> {
    match &caller.identity {
        Identity::Agent { run, .. } => match run_key(run) {
            Some((source, key)) => reader.run_by_key(source, key),
            None => Ok(None),
        },
        Identity::Person { name, surface } => {
            let Ok(Some(project)) = find_project(reader, caller.project.as_deref())? else { return Ok(None) };
            let since = Timestamp::from_unix_ms(at.unix_ms() - SITTING_MS);
            let sitting =
                reader.run_sitting(&project, surface_source(*surface), &AgentName::lossy(name), since)?;
            Ok(sitting.map(|run| (run, true)))
        }
    }
}

/// The run that the caller's calls belong to, started now if need be. Never a shared "unknown".
fn run_of(
    tx: &mut Tx<'_>,
    caller: &Caller,
    at: Timestamp,
    sources: &Sources,
) -> Result<Result<RunHandle, Refusal>, StoreError> {
    match known_run(tx, caller, at)? {
        Some((run, true)) => return Ok(Ok(run)),
        Some((mut run, false)) => {
            tx.append(&mut run, at, &RunResumed::default().into())?;
            return Ok(Ok(run));
        }
        None => {}
    }
    let project = match find_project(tx, caller.project.as_deref())? {
        Ok(Some(known)) => ProjectRef { id: known.id, name: known.name, path: known.path },
        Ok(None) => new_project(caller.project.as_deref(), ProjectId((sources.uuid)())),
        Err(refusal) => return Ok(Err(refusal)),
    };
    let (name, version, source) = match &caller.identity {
        Identity::Person { name, surface } => (name, None, surface_source(*surface)),
        Identity::Agent { name, version, run } => {
            (name, version.clone(), run_key(run).map_or(Source::Unattributed, |(source, _)| source))
        }
    };
    let version = version.map(|text| text.chars().filter(|c| !c.is_control()).take(64).collect());
    let kind = actor_kind(&caller.identity);
    let started = RunStarted::new(project, kind, AgentName::lossy(short_name(name)), version, source);
    let run = tx.run_start(RunId((sources.uuid)()), at, started)?;
    if let Identity::Agent { run: of, .. } = &caller.identity
        && let Some((source, key)) = run_key(of)
    {
        tx.run_key_set(source, key, &run)?;
    }
    Ok(Ok(run))
}

/// Clients call themselves `codex-mcp-client` and the like; people know them by what comes before.
fn short_name(client: &str) -> &str {
    match client.split_once("-mcp-client") {
        Some((agent, _)) if !agent.is_empty() => agent,
        _ => client,
    }
}

/// A project by its id or folder; without either, the one that was opened first.
/// `Ok(Ok(None))`: it is not there yet and may be made. An id that nobody has is refused.
pub(crate) fn find_project(
    reader: &Reader<'_>,
    named: Option<&str>,
) -> Result<Result<Option<ProjectRow>, Refusal>, StoreError> {
    let Some(named) = named else { return Ok(Ok(reader.project_first()?)) };
    let Ok(id) = named.parse::<ProjectId>() else { return Ok(Ok(reader.project_by_path(named)?)) };
    match reader.project_by_id(id)? {
        Some(found) => Ok(Ok(Some(found))),
        None => Ok(Err(Refusal::new(Code::NotFound, format!("there is no project {named}.")).issue(
            "project",
            "unknown project id",
            json!(named),
            "the id of a project in this store, or a folder",
            "leave it out for the default project",
        ))),
    }
}

/// A project that is about to be made: named after its folder.
pub(crate) fn new_project(path: Option<&str>, id: ProjectId) -> ProjectRef {
    let last = path.and_then(|path| path.rsplit(['/', '\\']).find(|part| !part.is_empty()));
    let name = last.unwrap_or(DEFAULT_PROJECT).to_owned();
    ProjectRef { id, name, path: path.map(str::to_owned) }
}

/// Checks the arguments of a call against the tool's shape.
pub(crate) fn check(tool: &Tool, arguments: &mut Value) -> Option<Refusal> {
    let mut issues = Vec::new();
    tool.input.check(arguments, "", &mut issues);
    if issues.is_empty() {
        return None;
    }
    let problems = match issues.len() {
        1 => "1 problem".to_owned(),
        n => format!("{n} problems"),
    };
    let message = format!("{} was refused, nothing changed; {problems}:", tool.name);
    Some(Refusal { issues, ..Refusal::new(Code::InvalidInput, message) })
}

/// Takes out what one client is known to inject; everything else unknown is refused.
pub(crate) fn strip(arguments: &mut Value) -> Vec<String> {
    const INJECTED: &str = "wait_for_previous";
    let removed = arguments.as_object_mut().and_then(|map| map.shift_remove(INJECTED));
    removed.map(|_| INJECTED.to_owned()).into_iter().collect()
}

const _: () = assert!(crate::shape::KEY_MAX == IdempotencyKey::MAX);
