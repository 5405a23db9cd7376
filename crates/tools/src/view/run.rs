//! One run in full: its facts, its plan, the tasks it touched, the tools it called, its parent and
//! its sub-runs. With `at`, all of it as it was after that event.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::board::{Project, TaskStatus};
use super::runs::RunRow;
use crate::import::Account;

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct RunParams {
    pub run: String,
    /// The run as it was after this event (a seq of the run). Absent: as it is.
    #[ts(type = "number", optional)]
    pub at: Option<u64>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunDetail {
    #[ts(type = "number")]
    pub position: u64,
    pub run: RunRow,
    pub project: Project,
    /// Asked for with `at`: that seq.
    #[ts(type = "number | null")]
    pub at: Option<u64>,
    /// The store position of the last event counted here.
    #[ts(type = "number")]
    pub head_position: u64,
    pub parent: Option<RunLink>,
    /// Sub-runs, oldest first.
    pub children: Vec<RunLink>,
    /// `null`: the run never wrote one, or its last turn cleared it.
    pub plan: Option<Plan>,
    /// What the run changed or was refused on, in the order of its first touch; at most 500.
    pub tasks: Vec<RunTask>,
    /// How many tasks there are in all.
    pub tasks_touched: u32,
    /// Most called first.
    pub tools: Vec<ToolUse>,
    /// Most frequent first.
    pub codes: Vec<CodeCount>,
    /// The files that told of it, with what became of their lines.
    pub files: Vec<Account>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunLink {
    pub id: String,
    pub agent: String,
    pub status: String,
    pub started: String,
    pub ended: Option<String>,
    pub last_at: String,
    #[ts(type = "number")]
    pub events: u64,
    #[ts(type = "number")]
    pub rejected: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The event that wrote it.
    #[ts(type = "number")]
    pub seq: u64,
    pub items: Vec<PlanItem>,
    /// Items that an earlier list had and that left it unfinished, oldest first.
    pub dropped: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlanItem {
    pub content: String,
    /// pending, in_progress or completed.
    pub status: String,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunTask {
    pub id: u32,
    pub subject: String,
    /// As it is now, or was at `at`.
    pub status: TaskStatus,
    pub deleted: bool,
    /// How many versions this run wrote.
    pub changes: u32,
    /// How many of its calls aimed at the task were refused.
    pub refused: u32,
    #[ts(type = "number")]
    pub first_seq: u64,
    #[ts(type = "number")]
    pub last_seq: u64,
    pub last_version: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolUse {
    pub tool: String,
    #[ts(type = "number")]
    pub calls: u64,
    #[ts(type = "number")]
    pub refused: u64,
    #[ts(type = "number")]
    pub failed: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CodeCount {
    pub code: String,
    #[ts(type = "number")]
    pub calls: u64,
    #[ts(type = "number")]
    pub repaired: u64,
}

use super::runs::{dollars, run_row};
use super::{project_of, status_of, with_run};
use crate::Refusal;
use crate::host::Host;
use crate::timeline::{self, Touches};
use domain::fold::Facts;
use domain::{RunStatus, Seq};
use store::table::chain::ChainsOf;
use store::table::project::ProjectRow;
use store::table::run::{RunRow as Row, RunsOf};
use store::{Reader, StoreError};

/// A run shows at most so many sub-runs …
const LISTED_MAX: u32 = 2_000;
/// … and tasks.
const TASKS_MAX: usize = 500;

pub(crate) fn load(host: &Host, params: &RunParams) -> Result<RunDetail, Refusal> {
    with_run(host, &params.run, |reader, row| {
        let at = params.at.map(|at| Seq(at.clamp(1, row.events.0)));
        let (known, head) = timeline::known(reader, row.id, at.unwrap_or(row.events), true)?;
        let project = reader
            .project_by_id(row.project)?
            .ok_or_else(|| StoreError::internal("a run's project is gone"))?;
        let mut run = run_row(reader, &row)?;
        if at.is_some() {
            as_it_was(&mut run, &known.facts);
        }
        let children = RunsOf { parent: Some(row.id), ..RunsOf::default() };
        let mut children: Vec<_> = reader.run_list(&children, LISTED_MAX)?.iter().map(link).collect();
        children.reverse();
        let parent = match row.parent {
            Some(parent) => reader.run_get(parent)?.as_ref().map(link),
            None => None,
        };
        Ok(RunDetail {
            position: reader.position()?.0,
            run,
            project: project_of(&project),
            at: at.map(|seq| seq.0),
            head_position: head.0,
            parent,
            children,
            plan: plan(&known.facts),
            tasks: tasks(reader, &project, &known.touches)?,
            tasks_touched: u32::try_from(known.touches.len()).unwrap_or(u32::MAX),
            tools: tools(&known.facts),
            codes: codes(reader, &row, &known.facts)?,
            files: files(reader, &row)?,
        })
    })
}

/// What a list says of a run, as it was when its facts were these.
fn as_it_was(run: &mut RunRow, facts: &Facts) {
    run.status = facts.ended.map_or(RunStatus::Running, RunStatus::Ended).as_str().to_owned();
    run.ended = facts.ended_at.map(|at| at.to_string());
    run.events = facts.events.0;
    run.rejected = facts.rejected;
    if let Some(last) = facts.last_at {
        run.last_at = last.to_string();
    }
    run.tokens_in = facts.used.map(|used| used.tokens_in);
    run.tokens_out = facts.used.map(|used| used.tokens_out);
    run.cost = facts.used.and_then(|used| used.cost_micros).map(dollars);
}

/// An account that a later program wrote in another form is passed over.
fn files(reader: &Reader<'_>, row: &Row) -> Result<Vec<Account>, StoreError> {
    let accounts = reader.file_accounts(row.id)?;
    Ok(accounts.iter().filter_map(|account| serde_json::from_str(account).ok()).collect())
}

fn link(row: &Row) -> RunLink {
    RunLink {
        id: row.id.to_string(),
        agent: row.name.to_string(),
        status: row.status.clone(),
        started: row.started_at.to_string(),
        ended: row.ended_at.map(|at| at.to_string()),
        last_at: row.last_at.to_string(),
        events: row.events.0,
        rejected: row.rejected,
    }
}

pub(super) fn plan(facts: &Facts) -> Option<Plan> {
    let plan = facts.plan.as_ref()?;
    let items = plan
        .items
        .iter()
        .map(|item| PlanItem { content: item.content.clone(), status: item.status.as_str().to_owned() });
    Some(Plan { seq: plan.seq.0, items: items.collect(), dropped: plan.dropped.clone() })
}

fn tasks(reader: &Reader<'_>, project: &ProjectRow, touches: &Touches) -> Result<Vec<RunTask>, StoreError> {
    let mut tasks = Vec::new();
    let mut first: Vec<_> = touches.iter().collect();
    first.sort_by_key(|(_, touch)| touch.first);
    for (&no, touch) in first.into_iter().take(TASKS_MAX) {
        if let Some(card) = reader.task_card(project, no)? {
            tasks.push(RunTask {
                id: no.0,
                subject: card.subject,
                status: status_of(card.status),
                deleted: card.deleted,
                changes: touch.changes,
                refused: touch.refused,
                first_seq: touch.first.0,
                last_seq: touch.last.0,
                last_version: touch.version.0,
            });
        }
    }
    Ok(tasks)
}

fn tools(facts: &Facts) -> Vec<ToolUse> {
    let mut tools: Vec<_> = facts
        .tools
        .iter()
        .map(|(tool, count)| ToolUse {
            tool: tool.clone(),
            calls: count.calls,
            refused: count.refused,
            failed: count.failed,
        })
        .collect();
    tools.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.tool.cmp(&b.tool)));
    tools
}

fn codes(reader: &Reader<'_>, row: &Row, facts: &Facts) -> Result<Vec<CodeCount>, StoreError> {
    let of = ChainsOf { run: Some(row.id), until: Some(facts.events), ..ChainsOf::default() };
    let chains = reader.chain_list(&of, LISTED_MAX)?;
    let repaired = |code: &str| {
        let by = |chain: &&store::table::chain::ChainRow| {
            chain.code == code && chain.repaired_by.is_some_and(|seq| seq <= facts.events)
        };
        chains.iter().filter(by).count() as u64
    };
    let mut codes: Vec<_> = facts
        .codes
        .iter()
        .map(|(code, calls)| CodeCount { code: code.clone(), calls: *calls, repaired: repaired(code) })
        .collect();
    codes.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.code.cmp(&b.code)));
    Ok(codes)
}
