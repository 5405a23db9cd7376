//! A store of any size with the shapes of real runs: turns, tools, pauses, refusals and their
//! repairs, sub-runs, plans, long texts. The same numbers give the same store.

use crate::host::Host;
use domain::event::{
    CallRejected, Cause, Layout, Message, ModelProposed, Payload, ProjectRef, Refused, Role, RunEnded,
    RunStarted, TaskCreated, TaskUpdated, TodoWritten, ToolCalled, ToolFailed, ToolReturned, TurnEnded,
    TurnStarted, Usage,
};
use domain::plan::{PlanItem, PlanStatus};
use domain::task::{Change, Changes};
use domain::{
    ActorKind, AgentName, Body, EndReason, ProjectId, RunId, Source, Status, Subject, TaskId, TaskNo,
    Timestamp, Version,
};
use store::{RunHandle, StoreError, Tx};
use uuid::Uuid;

/// How much to make.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Events of the one long run.
    pub events: u64,
    pub tasks: u32,
}

/// Events in one transaction.
const BATCH: u64 = 5_000;

/// Numbers that only depend on the seed.
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::try_from(self.below(from.len() as u64)).unwrap_or(0)]
    }
}

const VERBS: &[&str] = &["Add", "Fix", "Test", "Measure", "Document", "Remove", "Split", "Rename"];
const THINGS: &[&str] = &[
    "the parser",
    "retry with back-off",
    "the search index",
    "error messages",
    "the upload route",
    "时区处理",
    "paging",
];
const TOOLS: &[&str] = &["read_file", "edit_file", "run_tests", "search", "shell"];
const SAYS: &[&str] = &[
    "The failing test points at the clock: it compares local time with UTC.",
    "I will read the file first, then change only the branch that is wrong.",
    "先运行测试，再修改解析器。",
    "Two callers depend on this; I keep the signature.",
];

/// Writes the store. `told` hears how many events are written, and says whether to go on.
pub fn generate(host: &Host, size: Size, mut told: impl FnMut(u64) -> bool) -> Result<(), StoreError> {
    let mut maker = Maker {
        dice: Dice(size.events ^ u64::from(size.tasks)),
        clock: 1_775_000_000_000,
        project: ProjectRef {
            id: ProjectId(id(1, 0)),
            name: "atlas".into(),
            path: Some("/demo/atlas".into()),
        },
        versions: Vec::new(),
        ids: 0,
        step: Vec::new(),
        made: 0,
        turn: 0,
        owed: None,
    };
    let (mut run, mut sub): (Option<RunHandle>, Option<RunHandle>) = (None, None);
    while maker.made < size.events {
        let end = (maker.made + BATCH).min(size.events);
        let (back, one, two) = host.store().write_wait(move |tx| {
            let mut run = match run {
                Some(run) => run,
                None => maker.start(tx, "coder-1", None, "Bring the import to a million events")?,
            };
            let mut sub = sub;
            while maker.made < end {
                maker.step(tx, &mut run, &mut sub, size)?;
            }
            if maker.made >= size.events {
                maker.put(tx, &mut run, &RunEnded::new(EndReason::Completed).into())?;
            }
            Ok((maker, Some(run), sub))
        })?;
        (maker, run, sub) = (back, one, two);
        if !told(maker.made) {
            break;
        }
    }
    Ok(())
}

fn id(kind: u128, n: u128) -> Uuid {
    Uuid::from_u128((0x0193_8000_0000_7000_8000_u128 << 48) | (kind << 40) | n)
}

/// A call that was refused and is to be tried again.
#[derive(Debug)]
struct Owed {
    task: TaskNo,
    after: u64,
}

#[derive(Debug)]
struct Maker {
    dice: Dice,
    clock: i64,
    project: ProjectRef,
    /// Of each task, from number 1.
    versions: Vec<(Version, Status)>,
    ids: u128,
    step: Vec<Payload>,
    made: u64,
    turn: u64,
    owed: Option<Owed>,
}

impl Maker {
    fn start(
        &mut self,
        tx: &mut Tx<'_>,
        name: &str,
        parent: Option<RunId>,
        title: &str,
    ) -> Result<RunHandle, StoreError> {
        self.ids += 1;
        let mut started = RunStarted::new(
            self.project.clone(),
            ActorKind::Agent,
            AgentName::lossy(name),
            Some("1.4.0".into()),
            Source::Bridge,
        );
        started.parent = parent;
        started.title = Some(title.to_owned());
        if parent.is_none() {
            self.made += 1;
        }
        tx.run_start(RunId(id(2, self.ids)), self.now(40), started)
    }

    fn now(&mut self, most: u64) -> Timestamp {
        self.clock += i64::try_from(1 + self.dice.below(most)).unwrap_or(1);
        Timestamp::from_unix_ms(self.clock)
    }

    fn put(&mut self, tx: &mut Tx<'_>, run: &mut RunHandle, payload: &Payload) -> Result<(), StoreError> {
        let took = payload.line().duration_ms.unwrap_or(0);
        self.clock += i64::try_from(took).unwrap_or(0);
        let at = self.now(40);
        tx.append(run, at, payload)?;
        Ok(())
    }

    fn step(
        &mut self,
        tx: &mut Tx<'_>,
        run: &mut RunHandle,
        sub: &mut Option<RunHandle>,
        size: Size,
    ) -> Result<(), StoreError> {
        if self.step.is_empty() {
            self.plan_step(size);
            self.step.reverse();
            self.sub_run(tx, run, sub)?;
        }
        if let Some(payload) = self.step.pop() {
            self.made += 1;
            self.put(tx, run, &payload)?;
        }
        Ok(())
    }

    /// Now and then another agent is sent off, works a little, and comes back.
    fn sub_run(
        &mut self,
        tx: &mut Tx<'_>,
        run: &RunHandle,
        sub: &mut Option<RunHandle>,
    ) -> Result<(), StoreError> {
        match sub.take() {
            None if self.dice.below(3_000) == 0 => {
                *sub = Some(self.start(tx, "scout", Some(run.id), "Look for other callers")?);
            }
            Some(mut child) if self.dice.below(400) == 0 => {
                self.put(tx, &mut child, &RunEnded::new(EndReason::Completed).into())?;
            }
            Some(mut child) => {
                if self.dice.below(10) == 0 {
                    let call = self.tool_call();
                    for payload in call {
                        self.put(tx, &mut child, &payload)?;
                    }
                }
                *sub = Some(child);
            }
            None => {}
        }
        Ok(())
    }

    fn plan_step(&mut self, size: Size) {
        if (self.versions.len() as u64) < u64::from(size.tasks) && self.dice.below(3) == 0 {
            return self.create();
        }
        if self.owed.as_ref().is_some_and(|owed| self.made >= owed.after) {
            return self.repair();
        }
        match self.dice.below(100) {
            0 => self.turn(),
            1..=24 => self.say(),
            25..=27 => self.write_plan(),
            28..=37 => self.update(),
            38 => self.refuse(),
            _ => {
                let call = self.tool_call();
                self.step.extend(call);
            }
        }
    }

    fn turn(&mut self) {
        let duration_ms = Some(20_000 + self.dice.below(90_000));
        self.step.push(
            TurnEnded {
                turn: Some(format!("t{}", self.turn)),
                reason: Some("end_turn".into()),
                duration_ms,
                ..TurnEnded::default()
            }
            .into(),
        );
        // The person thinks, or sleeps.
        let pause = if self.dice.below(20) == 0 { 8 * 3_600_000 } else { 300_000 };
        self.clock += i64::try_from(self.dice.below(pause)).unwrap_or(0);
        self.turn += 1;
        self.step
            .push(TurnStarted { turn: Some(format!("t{}", self.turn)), ..TurnStarted::default() }.into());
        self.step.push(message(
            Role::User,
            &format!("{} {}, please.", self.dice.pick(VERBS), self.dice.pick(THINGS)),
            None,
            None,
        ));
    }

    fn say(&mut self) {
        let mut text = self.dice.pick(SAYS).to_owned();
        if self.dice.below(40) == 0 {
            text = format!("{text}\n").repeat(90);
        }
        let usage = Usage {
            tokens_in: 800 + self.dice.below(6_000),
            tokens_out: 40 + self.dice.below(600),
            cost_micros: Some(300 + self.dice.below(9_000)),
            ..Usage::default()
        };
        let took = Some(600 + self.dice.below(7_000));
        self.step.push(message(Role::Assistant, &text, Some(usage), took));
    }

    fn tool_call(&mut self) -> Vec<Payload> {
        let tool = self.dice.pick(TOOLS).to_owned();
        self.ids += 1;
        let call = Some(format!("c{}", self.ids));
        let arguments = format!(
            "{{\"path\":\"src/part_{}.rs\",\"line\":{}}}",
            self.dice.below(400),
            self.dice.below(900)
        );
        let arguments = Some(Body::new(&arguments));
        let duration_ms = Some(match tool.as_str() {
            "run_tests" => 2_000 + self.dice.below(40_000),
            _ => 3 + self.dice.below(400),
        });
        let result = if self.dice.below(16) == 0 {
            let error = Body::new("exit status 101: 1 test failed");
            ToolFailed { v: Layout::default(), call: call.clone(), tool: tool.clone(), error, duration_ms }
                .into()
        } else {
            let most = if self.dice.below(60) == 0 { 200 } else { 8 };
            let lines = 1 + self.dice.below(most);
            let text = "    let found = index.lookup(key)?;\n".repeat(usize::try_from(lines).unwrap_or(1));
            let result = Some(Body::new(&text));
            ToolReturned { v: Layout::default(), call: call.clone(), tool: tool.clone(), result, duration_ms }
                .into()
        };
        let v = Layout::default();
        vec![
            ModelProposed {
                v,
                call: call.clone(),
                tool: tool.clone(),
                arguments: arguments.clone(),
                model: None,
                usage: None,
                duration_ms: None,
            }
            .into(),
            ToolCalled { v, call, tool, arguments }.into(),
            result,
        ]
    }

    fn write_plan(&mut self) {
        let done = self.dice.below(4);
        let todos = (0..4).map(|n| PlanItem {
            content: format!("Step {}: {}", n + 1, self.dice.pick(THINGS)),
            status: match n {
                n if n < done => PlanStatus::Completed,
                n if n == done => PlanStatus::InProgress,
                _ => PlanStatus::Pending,
            },
        });
        let todos = todos.collect();
        self.step.push(TodoWritten { v: Layout::default(), todos, call: None }.into());
    }

    fn create(&mut self) {
        let no = TaskNo(u32::try_from(self.versions.len()).unwrap_or(u32::MAX - 1) + 1);
        let text = format!("{} {} ({no})", self.dice.pick(VERBS), self.dice.pick(THINGS));
        let Ok(subject) = Subject::new(text) else { return };
        let blockers = if no.0 > 3 && self.dice.below(5) == 0 {
            vec![TaskNo(1 + u32::try_from(self.dice.below(u64::from(no.0 - 1))).unwrap_or(0))]
        } else {
            vec![]
        };
        let cause = Cause { tool: "progress_create".into(), ..Cause::default() };
        let task_id = TaskId(id(3, u128::from(no.0)));
        self.versions.push((Version(1), Status::Pending));
        self.step.push(TaskCreated::new(no, task_id, subject, None, blockers, cause).into());
    }

    fn any_task(&mut self) -> Option<TaskNo> {
        let tasks = self.versions.len() as u64;
        (tasks > 0).then(|| TaskNo(1 + u32::try_from(self.dice.below(tasks)).unwrap_or(0)))
    }

    fn update(&mut self) {
        if let Some(task) = self.any_task() {
            self.change(task);
        }
    }

    fn change(&mut self, task: TaskNo) {
        let (version, before) = &mut self.versions[task.0 as usize - 1];
        *version = version.next();
        let after = match *before {
            Status::Pending => Status::InProgress,
            Status::InProgress => Status::Done,
            Status::Blocked | Status::Done => Status::Pending,
        };
        let changes = Changes { status: Some(Change { before: *before, after }), ..Changes::default() };
        *before = after;
        let cause = Cause { tool: "progress_update".into(), ..Cause::default() };
        self.step.push(TaskUpdated::new(task, *version, changes, cause).into());
    }

    fn refuse(&mut self) {
        let Some(task) = self.any_task() else { return };
        let now = self.versions[task.0 as usize - 1].0;
        let stale = self.dice.below(2) == 0 && now.0 > 1;
        let (code, told, status, version, paths) = if stale {
            let told =
                format!("STALE: task #{task} is at version {now}, not {}. Nothing changed.", now.0 - 1);
            ("STALE", told, "done", now.0 - 1, vec![])
        } else {
            let told = "INVALID_INPUT: progress_update was refused, nothing changed; 1 problem:\n1. patch.status: not one of the allowed values. Got: \"Done\". Expected: pending | in_progress | blocked | done. Fix: send \"done\".";
            ("INVALID_INPUT", told.to_owned(), "Done", now.0, vec!["patch.status".to_owned()])
        };
        let arguments = format!(
            "{{\"id\":\"{task}\",\"expectedVersion\":{version},\"patch\":{{\"status\":\"{status}\"}}}}"
        );
        let refused = Refused {
            tool: "progress_update".into(),
            code: code.into(),
            told,
            task: Some(task),
            arguments,
            paths,
            ..Refused::default()
        };
        let tries = if self.dice.below(12) == 0 { 3 } else { 1 };
        for _ in 0..tries {
            self.step.push(CallRejected::new(refused.clone()).into());
        }
        // One in eight is never repaired.
        if self.dice.below(8) > 0 {
            self.owed = Some(Owed { task, after: self.made + 3 });
        }
    }

    fn repair(&mut self) {
        if let Some(owed) = self.owed.take() {
            self.change(owed.task);
        }
    }
}

fn message(role: Role, text: &str, usage: Option<Usage>, duration_ms: Option<u64>) -> Payload {
    let model = usage.map(|_| "demo-1".to_owned());
    Message { model, usage, duration_ms, ..Message::new(role, Body::new(text)) }.into()
}
