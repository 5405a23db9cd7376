//! One read model per screen. Field names here are the UI's types (types.gen.ts).

pub mod board;
pub mod events;
pub mod index;
pub mod rejected;
mod related;
pub mod replay;
pub mod run;
pub mod runs;
pub mod status;
pub mod task;
pub mod trash;
pub mod verify;

use crate::host::{Host, unavailable};
use crate::{Code, Refusal, dispatch};
use board::{Actor, ActorKind, Card, Project, TaskStatus};
use domain::policy::Policies;
use domain::{ProjectId, RunId, Status};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store::table::check::CheckRow;
use store::table::project::ProjectRow;
use store::table::run::RunRow;
use store::table::task::{ActorRow, CardRow};
use store::{Reader, StoreError};

/// In which form a view is given: a tree for those who look into it, text for those who send it on.
pub(crate) trait Form {
    type Out;
    fn of(view: impl serde::Serialize) -> Result<Self::Out, serde_json::Error>;
}

#[derive(Debug)]
pub(crate) struct AsValue;

impl Form for AsValue {
    type Out = Value;
    fn of(view: impl serde::Serialize) -> Result<Value, serde_json::Error> {
        serde_json::to_value(view)
    }
}

#[derive(Debug)]
pub(crate) struct AsText;

impl Form for AsText {
    type Out = String;
    fn of(view: impl serde::Serialize) -> Result<String, serde_json::Error> {
        serde_json::to_string(&view)
    }
}

/// Loads a view by name.
pub(crate) fn load<F: Form>(host: &Host, name: &str, params: Value) -> Result<F::Out, Refusal> {
    match name {
        "board" => formed::<F>(board::load(host, &parse(params)?)?),
        "run" => formed::<F>(run::load(host, &parse(params)?)?),
        "events" => formed::<F>(events::load(host, &parse(params)?)?),
        "event" => formed::<F>(events::load_one(host, &parse(params)?)?),
        "body" => formed::<F>(events::load_body(host, &parse(params)?)?),
        "rejected" => formed::<F>(rejected::load(host, &parse(params)?)?),
        "rejection" => formed::<F>(rejected::load_one(host, &parse(params)?)?),
        "replay" => formed::<F>(replay::load(host, &parse(params)?)?),
        "verify" => formed::<F>(verify::load(host, &parse(params)?)?),
        "task" => formed::<F>(task::load(host, &parse(params)?)?),
        "runs" => formed::<F>(runs::load(host, &parse(params)?)?),
        "trash" => formed::<F>(trash::load(host, &parse(params)?)?),
        "import" => formed::<F>(crate::import::load(host, parse(params)?)?),
        "status" => formed::<F>(status::load(host)?),
        _ => Err(Refusal::new(Code::NotFound, format!("there is no view \"{name}\"")).issue(
            "name",
            "unknown view",
            json!(name),
            "board, task, runs, run, events, event, body, rejected, rejection, replay, verify, trash, import or status",
            "ask for one of these",
        )),
    }
}

/// Loads what is sent as bytes, by name.
pub(crate) fn load_bytes(host: &Host, name: &str, params: Value) -> Result<Vec<u8>, Refusal> {
    match name {
        "run_index" => index::load_run(host, &parse(params)?),
        "board_index" => index::load_board(host, &parse(params)?),
        "run_find" => index::find(host, &parse(params)?),
        "run_lines" => index::lines(host, &parse(params)?),
        _ => Err(Refusal::new(Code::NotFound, format!("there are no bytes \"{name}\"")).issue(
            "name",
            "unknown name",
            json!(name),
            "run_index, run_lines, run_find or board_index",
            "ask for one of these",
        )),
    }
}

fn parse<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    let params = if params.is_null() { json!({}) } else { params };
    serde_json::from_value(params.clone()).map_err(|error| {
        Refusal::new(Code::InvalidInput, format!("the view's parameters are not right: {error}")).issue(
            "params",
            error.to_string(),
            crate::shape::cut(&params),
            "the parameters that this view documents",
            "correct or leave out the named field",
        )
    })
}

fn formed<F: Form>(view: impl serde::Serialize) -> Result<F::Out, Refusal> {
    F::of(view).map_err(|error| unavailable(&StoreError::internal(error)))
}

/// Reads one snapshot for a view of one project.
fn in_project<T>(
    host: &Host,
    named: Option<&str>,
    job: impl FnOnce(&Reader<'_>, Option<ProjectRow>) -> Result<T, StoreError>,
) -> Result<T, Refusal> {
    let result = host.store().read(|reader| match dispatch::find_project(reader, named)? {
        Ok(project) => job(reader, project).map(Ok),
        Err(refusal) => Ok(Err(refusal)),
    });
    result.unwrap_or_else(|error| Err(unavailable(&error)))
}

/// The run that a screen or a command names: by its id, or by the first letters of it.
fn run_named(host: &Host, named: &str) -> Result<RunId, Refusal> {
    if let Ok(id) = named.parse() {
        return Ok(id);
    }
    let found = host.store().read(|reader| reader.run_by_prefix(named));
    let refused = |problem: String, fix: &str| {
        Refusal::new(Code::NotFound, problem.clone()).issue(
            "run",
            problem,
            json!(named),
            "the id of a run, or its first letters",
            fix,
        )
    };
    match found.map_err(|error| unavailable(&error))?.as_slice() {
        [one] if named.len() >= 4 => Ok(*one),
        [_, _] => Err(refused(format!("more than one run begins with {named}"), "send more of the id")),
        _ => Err(refused(format!("there is no run {named}"), "list the runs and use an id shown there")),
    }
}

fn find_run(reader: &Reader<'_>, id: RunId) -> Result<RunRow, StoreError> {
    reader.run_get(id)?.ok_or_else(|| StoreError::internal("the run is gone"))
}

/// Reads one snapshot for a view of one run.
fn with_run<T>(
    host: &Host,
    named: &str,
    job: impl FnOnce(&Reader<'_>, RunRow) -> Result<T, StoreError>,
) -> Result<T, Refusal> {
    let id = run_named(host, named)?;
    let result = host.store().read(|reader| match reader.run_get(id)? {
        Some(row) => job(reader, row).map(Ok),
        None => Ok(Err(Refusal::new(Code::NotFound, format!("there is no run {id}")).issue(
            "run",
            "no such run in this store",
            json!(named),
            "the id of a run of this store",
            "list the runs and use an id shown there",
        ))),
    });
    result.unwrap_or_else(|error| Err(unavailable(&error)))
}

/// Stands for the project of a store that has none yet: nothing is found in it.
pub(crate) fn no_project() -> ProjectRow {
    ProjectRow::missing(ProjectId(uuid::Uuid::nil()), Policies::default())
}

fn status_of(status: Status) -> TaskStatus {
    match status {
        Status::Pending => TaskStatus::Pending,
        Status::InProgress => TaskStatus::InProgress,
        Status::Blocked => TaskStatus::Blocked,
        Status::Done => TaskStatus::Done,
    }
}

fn actor_of(row: &ActorRow) -> Actor {
    let kind = match row.kind {
        domain::ActorKind::Agent => ActorKind::Agent,
        domain::ActorKind::Person => ActorKind::Person,
        domain::ActorKind::Host => ActorKind::Host,
    };
    Actor { kind, name: row.name.to_string() }
}

fn actor_kind(kind: ActorKind) -> domain::ActorKind {
    match kind {
        ActorKind::Agent => domain::ActorKind::Agent,
        ActorKind::Person => domain::ActorKind::Person,
        ActorKind::Host => domain::ActorKind::Host,
    }
}

fn outcome_of(outcome: domain::Outcome) -> rejected::Outcome {
    match outcome {
        domain::Outcome::Open => rejected::Outcome::Open,
        domain::Outcome::Repaired => rejected::Outcome::Repaired,
        domain::Outcome::GaveUp => rejected::Outcome::GaveUp,
        domain::Outcome::Loop => rejected::Outcome::Loop,
        domain::Outcome::Expected => rejected::Outcome::Expected,
    }
}

fn verify_mark(check: CheckRow) -> verify::VerifyMark {
    let state = if check.ok { verify::VerifyState::Sound } else { verify::VerifyState::Broken };
    verify::VerifyMark { state, to: check.seq.0, first_bad_seq: check.first_bad.map(|seq| seq.0) }
}

pub(crate) fn card_of(row: &CardRow) -> Card {
    Card {
        id: row.no.0,
        version: row.version.0,
        status: status_of(row.status),
        subject: row.subject.clone(),
        blocked_by: row.blocked_by.iter().map(|no| no.0).collect(),
        held_by: row.held_by.as_ref().map(actor_of),
        rejected: row.rejected,
        outcome: row.outcome.map(outcome_of),
        changed_at: row.changed_at.to_string(),
        changed_by: actor_of(&row.changed_by),
    }
}

fn project_of(row: &ProjectRow) -> Project {
    Project { id: row.id.to_string(), name: row.name.clone(), path: row.path.clone() }
}
