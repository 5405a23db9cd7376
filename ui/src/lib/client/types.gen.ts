// Written by `ACCEPT=1 cargo test -p tools typescript`. Do not edit.

export type Change = { position: number, tags: Array<Tag>, };

export type Tag = { "kind": "task", project: string, id: number, } | { "kind": "run", project: string, run: string, } | { "kind": "project", project: string, } | { "kind": "store" };

export type Answer = { text: string, structured: unknown, };

export type Code = "INVALID_INPUT" | "NOT_FOUND" | "STALE" | "IDEMPOTENCY_MISMATCH" | "CYCLE" | "POLICY_DENIED" | "TOO_LARGE" | "RATE_LIMITED" | "STORE_UNAVAILABLE" | "INTERNAL";

export type Issue = { path: string, problem: string, got: unknown, expected: string, fix: string, };

export type Refusal = { code: Code, message: string, issues: Array<Issue>, 
/**
 * The task as it is now (STALE).
 */
current?: TaskFields | null, 
/**
 * The call to send instead (STALE, and where one is known).
 */
retry?: { tool: string; arguments: Record<string, unknown> } | null, };

export type ActorKind = "agent" | "person" | "host";

export type Actor = { kind: ActorKind, name: string, };

export type Board = { 
/**
 * `null` while the store has no project yet.
 */
project: Project | null, projects: Array<Project>, 
/**
 * The store position this answer reflects; send it back as `since`.
 */
position: number, 
/**
 * True: `tasks` is the whole board. False: only what changed after `since`.
 */
full: boolean, tasks: Array<Card>, 
/**
 * Ids that left the board after `since`.
 */
removed: Array<number>, 
/**
 * Newest last; at most 60.
 */
strip: Array<StripItem>, };

export type BoardParams = { project?: string, 
/**
 * Send only what changed after this position. Absent: everything.
 */
since?: number, };

export type Card = { id: number, version: number, status: TaskStatus, subject: string, blockedBy: Array<number>, 
/**
 * Who holds a task that is in progress.
 */
heldBy: Actor | null, 
/**
 * Refused calls that aimed at this task.
 */
rejected: number, 
/**
 * RFC 3339, milliseconds, UTC.
 */
changedAt: string, changedBy: Actor, };

export type FieldChange = { 
/**
 * status, subject, description or blockedBy.
 */
field: string, before: string | number[] | null, after: string | number[] | null, };

export type Project = { id: string, name: string, 
/**
 * The folder, when the project has one.
 */
path: string | null, };

export type StripItem = { position: number, run: string, seq: number, 
/**
 * An event kind of the ledger: task_created, task_updated, task_deleted, task_restored,
 * call_rejected, run_started, run_ended.
 */
kind: string, at: string, actor: Actor, 
/**
 * The call came without any run identity.
 */
unattributed: boolean, task: number | null, subject: string | null, 
/**
 * task_updated: what changed.
 */
changes: Array<FieldChange>, 
/**
 * call_rejected: tool, code and the sentence the agent was told. run_ended: reason in `text`.
 */
tool: string | null, code: string | null, text: string | null, };

export type TaskStatus = "pending" | "in_progress" | "blocked" | "done";

export type Trash = { position: number, tasks: Array<Card>, };

export type TrashParams = { project?: string, };

export type Link = { id: number, status: TaskStatus, subject: string, };

export type Rejection = { position: number, run: string, seq: number, at: string, actor: Actor, tool: string, code: string, 
/**
 * The text the agent was told, whole.
 */
text: string, 
/**
 * The arguments as sent, masked and cut.
 */
arguments: string, };

export type TaskDetail = { project: string, position: number, id: number, version: number, status: TaskStatus, subject: string, description: string | null, blockedBy: Array<Link>, blocks: Array<Link>, heldBy: Actor | null, deleted: boolean, createdAt: string, createdBy: Actor, changedAt: string, changedBy: Actor, 
/**
 * Newest first.
 */
versions: Array<TaskVersion>, 
/**
 * Newest first; at most 100.
 */
rejected: Array<Rejection>, };

export type TaskParams = { project?: string, id: number, };

export type TaskVersion = { version: number, at: string, actor: Actor, run: string, seq: number, position: number, 
/**
 * task_created, task_updated, task_deleted or task_restored.
 */
kind: string, changes: Array<FieldChange>, };

export type RunRow = { id: string, project: string, 
/**
 * The agent's name, or the person's.
 */
agent: string, agentVersion: string | null, 
/**
 * agent, person or host.
 */
actor: ActorKind, 
/**
 * running, completed, failed, interrupted, cancelled or budget_exhausted.
 */
status: string, 
/**
 * bridge, session, meta, unattributed, window, browser or cli.
 */
source: string, events: number, rejected: number, started: string, ended?: string, lastAt: string, };

export type Runs = { position: number, runs: Array<RunRow>, };

export type RunsParams = { project?: string, limit?: number, };

export type Status = { 
/**
 * The program's version.
 */
version: string, 
/**
 * The folder that holds the store.
 */
data: string, position: number, 
/**
 * Why nothing can be written, or `null`.
 */
readOnly: string | null, 
/**
 * Where agents connect, once the listener is up.
 */
mcpUrl: string | null, tokenFile: string | null, 
/**
 * The person's name as written into the ledger.
 */
person: string, tasks: number, runsOpen: number, rejected: number, };

export type TaskFields = { id: string; version: number; status: TaskStatus; subject: string; description?: string; blockedBy: string[]; heldBy?: string };
