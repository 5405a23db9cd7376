//! The host: it owns the store of one data folder, takes calls and answers views.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use domain::event::RunEnded;
use domain::policy::Policies;
use domain::{EndReason, Position};
use parking_lot::RwLock;
use serde_json::Value;
use store::{Kind, Store, StoreError, StoreOptions, Touched};
use tokio::sync::{broadcast, oneshot};

use crate::checks::Checks;
use crate::dispatch::{self, Outcome, Request};
use crate::import::Jobs;
use crate::rate::{Limiter, Verdict};
use crate::scribe::{self, Scribe};
use crate::shape::brief;
use crate::sources::Sources;
use crate::tool::{Run, Stop, Tool};
use crate::witness::Witness;
use crate::{Answer, Caller, Change, Code, Failure, Identity, Refusal, Tag, clean, registry, view};

#[derive(Debug, Clone)]
pub struct Options {
    pub data: PathBuf,
    /// The name written into the ledger for what a person does.
    pub person: String,
    /// Where the signing key and the second copy of the checkpoints are kept; `None`: in the data folder.
    pub witness: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process owns the store. `pid` when it could be read.
    #[error("{message}")]
    Held { pid: Option<u32>, message: String },
    /// Nothing can be opened at all: a newer file, not a database, no permission …
    #[error("{message}")]
    Unusable { message: String },
}

/// Screens that fall this many commits behind are told to refetch.
const FEED_CAPACITY: usize = 1_024;

/// Answers are kept for retries at least this long.
const ANSWERS_KEPT_MS: i64 = 8 * 24 * 60 * 60 * 1000;

/// Cheap to clone; the last clone closes the store.
#[derive(Debug, Clone)]
pub struct Host {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    sources: Sources,
    limiter: Limiter,
    feed: broadcast::Sender<Change>,
    position: Arc<AtomicU64>,
    data: PathBuf,
    person: String,
    listener: RwLock<Listener>,
    scribe: Scribe,
    witness: Arc<Witness>,
    checks: Checks,
    imports: Jobs,
}

#[derive(Debug, Default, Clone)]
pub(crate) struct Listener {
    pub mcp_url: Option<String>,
    pub token_file: Option<PathBuf>,
}

impl Host {
    /// Takes the lock, migrates (after a backup) and opens the store. A store that fails its check
    /// opens read-only; `view("status")` says why.
    pub fn open(options: Options) -> Result<Host, OpenError> {
        Host::open_with(options, Sources::default())
    }

    /// As [`Host::open`], with time and identity from elsewhere.
    pub fn open_with(options: Options, sources: Sources) -> Result<Host, OpenError> {
        let Options { data, person, witness } = options;
        let witness = Arc::new(Witness::open(&witness.unwrap_or_else(|| data.join("witness"))));
        let (feed, _) = broadcast::channel(FEED_CAPACITY);
        let (bell, woken) = scribe::bell();
        let ring = bell.clone();
        let position = Arc::new(AtomicU64::new(0));
        let (sender, newest) = (feed.clone(), Arc::clone(&position));
        let on_commit = move |position: domain::Position, touched: Vec<Touched>| {
            newest.store(position.0, Ordering::Release);
            ring.committed(&touched);
            // Nobody listening is fine.
            let _ = sender.send(Change::of(position.0, &touched));
        };
        let signer = Arc::clone(&witness);
        let sign = move |run, head, at| signer.sign(run, head, at);
        let store = Store::open(StoreOptions {
            dir: data.clone(),
            on_commit: Box::new(on_commit),
            sign: witness.can_sign().then(|| Arc::new(sign) as _),
        })
        .map_err(|error| open_error(error, &data))?;
        if let Err(error) = clean::opened(&store, &data, (sources.now)()) {
            tracing::warn!(%error, "runs that the last owner left open could not be closed");
        }
        let beside = Scribe::start(store.clone(), sources.clone(), Arc::clone(&witness), &bell, woken)
            .map_err(|error| OpenError::Unusable { message: error.to_string() })?;
        let start = store.read(|reader| reader.position()).unwrap_or(domain::Position(0));
        position.store(start.0, Ordering::Release);
        prune(&store, &sources);
        let inner = Inner {
            store,
            sources,
            limiter: Limiter::default(),
            feed,
            position,
            data,
            person,
            listener: RwLock::default(),
            scribe: beside,
            witness,
            checks: Checks::default(),
            imports: Jobs::default(),
        };
        Ok(Host { inner: Arc::new(inner) })
    }

    /// One tool call. Answers only after the commit. Never panics: a panic inside is INTERNAL.
    pub async fn call(&self, caller: Caller, tool: &str, arguments: Value) -> Result<Answer, Failure> {
        let raw = arguments.to_string();
        let found = registry::find(tool);
        let name = found.map_or(tool, |tool| tool.name).to_owned();
        let mut request = Request {
            caller,
            name,
            tool: found,
            arguments,
            raw,
            stripped: Vec::new(),
            refused: None,
            suppressed: 0,
        };
        if let Some(refusal) = self.limited(&mut request) {
            return Err(Failure::Refused(refusal));
        }
        let Some(tool) = found else { return self.unknown_tool(request).await };
        request.stripped = dispatch::strip(&mut request.arguments);
        request.refused = match &request.refused {
            Some(refusal) => Some(refusal.clone()),
            None => denied(tool, &request.caller).or_else(|| dispatch::check(tool, &mut request.arguments)),
        };
        match &tool.run {
            Run::Read(read) if request.refused.is_none() => match self.read(&request, *read) {
                Ok((answer, position)) => {
                    self.record(request, &answer, position);
                    Ok(answer)
                }
                Err(Stop::Refused(refusal)) => {
                    request.refused = Some(*refusal);
                    self.write(request).await
                }
                Err(Stop::Store(error)) => Err(Failure::Refused(unavailable(&error))),
            },
            Run::Read(_) | Run::Write(_) => self.write(request).await,
        }
    }

    /// A call from a screen that shows the past: refused and written down, whatever it asks for.
    pub async fn call_from_past(&self, caller: Caller, at: u64, tool: &str, arguments: Value) -> Failure {
        let message =
            format!("the screen shows the past (event {at}), which nobody can change; nothing changed.");
        let refusal = Refusal::new(Code::PolicyDenied, message).issue(
            "at",
            "sent from a replay",
            at.into(),
            "a call from the live view",
            "return to the live view, look at the task as it is now, then send the call",
        );
        self.refuse(caller, tool, arguments, refusal).await
    }

    /// Records a refusal that a shell had to make before `call` could be reached (for example
    /// arguments that are not an object). Gives back what to answer.
    pub async fn refuse(&self, caller: Caller, tool: &str, raw: Value, refusal: Refusal) -> Failure {
        let found = registry::find(tool);
        let request = Request {
            caller,
            name: found.map_or(tool, |tool| tool.name).to_owned(),
            tool: found,
            raw: raw.to_string(),
            arguments: raw,
            stripped: Vec::new(),
            refused: Some(refusal.clone()),
            suppressed: 0,
        };
        match self.write(request).await {
            Err(failure) => failure,
            // A refused request is never accepted; say the refusal all the same.
            Ok(_) => Failure::Refused(refusal),
        }
    }

    /// Ends the run behind `caller` (bridge closed, session deleted, person signed off). Reasons:
    /// completed, failed, interrupted, cancelled, budget_exhausted. A run that never began is no error.
    pub async fn end_run(&self, caller: Caller, reason: &str) -> Result<(), Failure> {
        let Some(reason) = EndReason::parse(reason) else {
            let message = format!("a run cannot end with the reason \"{reason}\"");
            return Err(Failure::Refused(Refusal::new(Code::InvalidInput, message)));
        };
        let sources = self.inner.sources.clone();
        self.submit(move |tx| {
            let at = (sources.now)();
            if let Some((mut run, true)) = dispatch::known_run(tx, &caller, at)? {
                tx.append(&mut run, at, &RunEnded::new(reason).into())?;
            }
            Ok(())
        })
        .await
        .map_err(|error| Failure::Refused(unavailable(&error)))
    }

    /// One read model: `board`, `task`, `runs`, `status`, `trash`. Params as in `view/`.
    pub async fn view(&self, name: &str, params: Value) -> Result<Value, Failure> {
        self.formed::<view::AsValue>(name, params).await
    }

    /// As [`Host::view`], as JSON text: for those who only send it on.
    pub async fn view_text(&self, name: &str, params: Value) -> Result<String, Failure> {
        self.formed::<view::AsText>(name, params).await
    }

    async fn formed<F>(&self, name: &str, params: Value) -> Result<F::Out, Failure>
    where
        F: view::Form,
        F::Out: Send + 'static,
    {
        let (host, name) = (self.clone(), name.to_owned());
        let job = tokio::task::spawn_blocking(move || view::load::<F>(&host, &name, params));
        match job.await {
            Ok(result) => result.map_err(Failure::Refused),
            Err(panicked) => Err(Failure::Refused(unavailable(&StoreError::internal(panicked)))),
        }
    }

    /// What a screen draws from without reading it as text: `run_index`, `board_index`, `run_find`.
    pub async fn bytes(&self, name: &str, params: Value) -> Result<Vec<u8>, Failure> {
        let (host, name) = (self.clone(), name.to_owned());
        let job = tokio::task::spawn_blocking(move || view::load_bytes(&host, &name, params));
        match job.await {
            Ok(result) => result.map_err(Failure::Refused),
            Err(panicked) => Err(Failure::Refused(unavailable(&StoreError::internal(panicked)))),
        }
    }

    /// MCP `tools/list`: `[{name, title, description, inputSchema, outputSchema, annotations}]`,
    /// in a fixed order, as JSON.
    #[must_use]
    pub fn tool_list(&self) -> Value {
        registry::tool_list(&self.policies())
    }

    /// MCP server instructions.
    #[must_use]
    pub fn instructions(&self) -> String {
        registry::instructions(&self.policies())
    }

    /// The change feed. A receiver that lags gets `RecvError::Lagged`; it then sends the screen a
    /// `Change` with the present position and no tags (= refetch everything you show).
    #[must_use]
    pub fn feed(&self) -> broadcast::Receiver<Change> {
        self.inner.feed.subscribe()
    }

    /// The store's newest position.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.inner.position.load(Ordering::Acquire)
    }

    /// Shown by `view("status")`.
    pub fn set_listener(&self, mcp_url: Option<String>, token_file: Option<PathBuf>) {
        *self.inner.listener.write() = Listener { mcp_url, token_file };
    }

    #[must_use]
    pub fn data(&self) -> &Path {
        &self.inner.data
    }

    #[must_use]
    pub fn person(&self) -> &str {
        &self.inner.person
    }

    /// Commits what waits, checkpoints the WAL, frees the lock. Later calls get STORE_UNAVAILABLE.
    pub fn close(&self) {
        self.inner.imports.stop();
        self.inner.scribe.stop();
        clean::closing(&self.inner.store, &self.inner.data);
        self.inner.store.close();
    }

    pub(crate) fn witness(&self) -> &Witness {
        &self.inner.witness
    }

    pub(crate) fn checks(&self) -> &Checks {
        &self.inner.checks
    }

    pub(crate) fn imports(&self) -> &Jobs {
        &self.inner.imports
    }

    pub(crate) fn sources(&self) -> &Sources {
        &self.inner.sources
    }

    pub(crate) fn now(&self) -> domain::Timestamp {
        (self.inner.sources.now)()
    }

    /// Tells screens of something that is no commit.
    pub(crate) fn tell(&self, change: Change) {
        // Nobody listening is fine.
        let _ = self.inner.feed.send(change);
    }

    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
    }

    pub(crate) fn listener(&self) -> Listener {
        self.inner.listener.read().clone()
    }

    /// The rules that descriptions speak of: those of the default project.
    fn policies(&self) -> Policies {
        let first = self.inner.store.read(|reader| reader.project_first());
        first.ok().flatten().map(|project| project.policies).unwrap_or_default()
    }

    /// `Some`: refused because of a flood, and not to be written down.
    fn limited(&self, request: &mut Request) -> Option<Refusal> {
        let key = match &request.caller.identity {
            Identity::Person { .. } => return None,
            Identity::Agent { run, .. } => dispatch::run_key(run).map_or("", |(_, key)| key),
        };
        let flood = || {
            Refusal::new(Code::RateLimited, "too many calls from this run; nothing changed.").issue(
                "",
                "one of more than 1000 a second",
                Value::Null,
                "fewer calls",
                "wait a second, then send the call again",
            )
        };
        match self.inner.limiter.ask(key, Instant::now()) {
            Verdict::Allowed => None,
            Verdict::Refused { suppressed } => {
                request.suppressed = suppressed;
                request.refused = Some(flood());
                None
            }
            Verdict::RefusedSilently => Some(flood()),
        }
    }

    async fn unknown_tool(&self, mut request: Request) -> Result<Answer, Failure> {
        let name = request.name.clone();
        let known: Vec<_> = registry::TOOLS.iter().filter(|t| !t.people_only).map(|t| t.name).collect();
        let message =
            format!("there is no tool {}; the tools are {}", brief(&name.as_str().into()), known.join(", "));
        request.refused = Some(Refusal::new(Code::NotFound, message.clone()));
        match self.write(request).await {
            Err(Failure::Refused(refusal)) if refusal.code != Code::NotFound => {
                Err(Failure::Refused(refusal))
            }
            _ => Err(Failure::UnknownTool { name, message }),
        }
    }

    fn read(
        &self,
        request: &Request,
        read: fn(&store::Reader<'_>, &store::table::project::ProjectRow, Value) -> Result<Answer, Stop>,
    ) -> Result<(Answer, Position), Stop> {
        let at = (self.inner.sources.now)();
        let result = self.inner.store.read(|reader| {
            let project = match dispatch::known_run(reader, &request.caller, at)? {
                Some((run, _)) => Ok(reader.project_by_id(run.project)?),
                None => dispatch::find_project(reader, request.caller.project.as_deref())?,
            };
            let project = match project {
                Ok(Some(project)) => project,
                Ok(None) => view::no_project(),
                Err(refusal) => return Ok(Err(Stop::from(refusal))),
            };
            let position = reader.position()?;
            Ok(read(reader, &project, request.arguments.clone()).map(|answer| (answer, position)))
        });
        result.unwrap_or_else(|error| Err(Stop::Store(error)))
    }

    /// Has it written down that an agent's question was answered. The answer does not wait for that.
    fn record(&self, request: Request, answer: &Answer, position: Position) {
        if matches!(request.caller.identity, Identity::Person { .. }) {
            return;
        }
        let answered = dispatch::answered(&request, answer, position);
        let sources = self.inner.sources.clone();
        let at = (sources.now)();
        self.inner.store.write_later(
            move |tx| dispatch::record(tx, &request.caller, at, answered, &sources),
            |result| {
                if let Err(error) = result {
                    tracing::warn!(%error, "an answered question could not be written down");
                }
            },
        );
    }

    async fn write(&self, request: Request) -> Result<Answer, Failure> {
        let sources = self.inner.sources.clone();
        match self.submit(move |tx| dispatch::perform(tx, &request, &sources)).await {
            Ok(Outcome::Answer(answer)) => Ok(answer),
            Ok(Outcome::Refused(refusal)) => Err(Failure::Refused(refusal)),
            Err(error) => Err(Failure::Refused(unavailable(&error))),
        }
    }

    async fn submit<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut store::Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        self.inner.store.write(job, move |result| {
            // A caller that went away does not need the answer; the commit stands.
            let _ = answer.send(result);
        });
        answered.await.unwrap_or_else(|_| Err(StoreError::internal("the writer ended without an answer")))
    }
}

impl Change {
    /// Each stale thing once, in the order in which it was first touched.
    fn of(position: u64, touched: &[Touched]) -> Change {
        let mut tags = Vec::new();
        let mut add = |tag: Tag| {
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        };
        for touch in touched {
            let project = touch.project.to_string();
            if let Some(no) = touch.task {
                add(Tag::Task { project: project.clone(), id: no.0 });
            }
            if touch.started {
                add(Tag::Project { project: project.clone() });
            }
            add(Tag::Run { project, run: touch.run.to_string() });
        }
        Change { position, tags }
    }
}

fn open_error(error: store::OpenError, data: &Path) -> OpenError {
    match error {
        store::OpenError::Held { pid, .. } => {
            let by = pid.map(|pid| format!(" (process {pid})")).unwrap_or_default();
            let message = format!(
                "another Tallyboard{by} owns the store in {}; one owner at a time. Use the running one, or end it first.",
                data.display()
            );
            OpenError::Held { pid, message }
        }
        other => OpenError::Unusable { message: other.to_string() },
    }
}

fn prune(store: &Store, sources: &Sources) {
    let before = domain::Timestamp::from_unix_ms((sources.now)().unix_ms() - ANSWERS_KEPT_MS);
    store.write(
        move |tx| tx.answer_prune(before),
        |result| {
            if let Err(error) = result {
                tracing::warn!(%error, "old answers could not be pruned");
            }
        },
    );
}

fn denied(tool: &Tool, caller: &Caller) -> Option<Refusal> {
    let agent = matches!(caller.identity, Identity::Agent { .. });
    (tool.people_only && agent).then(|| {
        let message = format!("{} is for people only; nothing changed.", tool.name);
        Refusal::new(Code::PolicyDenied, message).issue(
            "",
            "comes from an agent",
            Value::Null,
            "a person at the board",
            "ask the person you work for to do it, or create a new task",
        )
    })
}

/// What a caller is told when the store could not do it.
pub(crate) fn unavailable(error: &StoreError) -> Refusal {
    let (code, message, fix) = match error.kind {
        Kind::Full => (
            Code::StoreUnavailable,
            "the disk is full; nothing was changed".to_owned(),
            "free some space on the disk that holds the store, then send the same call again",
        ),
        Kind::ReadOnly => (
            Code::StoreUnavailable,
            format!("the store can only be read: {error}"),
            "a person must restore the store from a backup; reading still works",
        ),
        Kind::Io | Kind::Corrupt => (
            Code::StoreUnavailable,
            format!("the store could not be written: {error}; nothing was changed"),
            "send the same call again in a while; if it keeps failing, tell the person to run `tally doctor`",
        ),
        Kind::Closed => (
            Code::StoreUnavailable,
            "the program is closing; nothing was changed".to_owned(),
            "send the same call again in a few seconds",
        ),
        Kind::Internal => (
            Code::Internal,
            format!("a fault inside Tallyboard; nothing was changed: {error}"),
            "this is not your mistake; go on with other work and tell the person",
        ),
    };
    if code == Code::Internal {
        tracing::error!(%error, "a call failed inside");
    }
    Refusal::new(code, message).issue(
        "",
        "was not carried out",
        Value::Null,
        "a store that can be written",
        fix,
    )
}
