// Written by `ACCEPT=1 cargo test -p tools typescript`. Do not edit.

export type Change = { position: number, tags: Array<Tag>, };

export type Tag = { "kind": "task", project: string, id: number, } | { "kind": "run", project: string, run: string, } | { "kind": "project", project: string, } | { "kind": "verify", run: string, } | { "kind": "store" };

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
 * The worst of their outcomes: loop, gave_up, open, repaired, expected in this order; `null` without any.
 */
outcome: Outcome | null, 
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
 * call_rejected, run_started, run_ended, run_resumed.
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
 * call_rejected: how it came out so far.
 */
outcome: Outcome | null, 
/**
 * call_rejected: tool, code and the sentence the agent was told. run_ended: reason in `text`.
 */
tool: string | null, code: string | null, text: string | null, };

export type TaskStatus = "pending" | "in_progress" | "blocked" | "done";

export type Trash = { position: number, tasks: Array<Card>, };

export type TrashParams = { project?: string, };

export type Link = { id: number, status: TaskStatus, subject: string, };

export type Rejection = { position: number, run: string, seq: number, at: string, actor: Actor, tool: string, code: string, outcome: Outcome, 
/**
 * The chain it belongs to: the seq of its first refusal.
 */
chain: number, 
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
kind: string, changes: Array<FieldChange>, 
/**
 * The call that caused it.
 */
tool: string, 
/**
 * The caller's idempotency key.
 */
key: string | null, };

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
source: string, events: number, rejected: number, started: string, ended?: string, lastAt: string, 
/**
 * Refused calls that were neither repaired nor given up yet.
 */
openRefusals: number, 
/**
 * The run that started this one.
 */
parent: string | null, 
/**
 * What the agent said it was for, when it said so.
 */
title: string | null, tokensIn: number | null, tokensOut: number | null, 
/**
 * US dollars, where known.
 */
cost: number | null, 
/**
 * `null`: never checked.
 */
verify: VerifyMark | null, };

export type Runs = { position: number, runs: Array<RunRow>, };

export type RunsParams = { project?: string, limit?: number, 
/**
 * Only those of agents, persons or the host.
 */
actor?: ActorKind, 
/**
 * Only those whose agent's name has this in it.
 */
agent?: string, 
/**
 * Only those that started at or after this time (RFC 3339).
 */
since?: string, };

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

export type Account = { file: string, 
/**
 * `ledger`, `plain ledger`, the name of a transcript's format, or `unknown`.
 */
format: string, 
/**
 * Why nothing of it could be read at all.
 */
why?: string, runs: Array<string>, lines: number, mapped: number, 
/**
 * Lines that were passed over, by why.
 */
skipped: Record<string, number>, 
/**
 * The first of the lines that could not be read.
 */
bad: Array<BadLine>, 
/**
 * All of them.
 */
badLines: number, events: number, 
/**
 * What is wrong with the ledger as a whole; it was read in as it is.
 */
problems: Array<string>, 
/**
 * Spellings that were forgiven: a byte order mark, lines that end as on Windows, later kinds.
 */
notes: Record<string, number>, 
/**
 * Of the model, as the file tells it; absent where files of this format tell none.
 */
tokens?: Tokens, };

export type BadLine = { line: number, why: string, };

export type ImportJob = { job: number, state: ImportState, 
/**
 * What it is at.
 */
file: string | null, filesDone: number, files: number, bytesDone: number, bytes: number, leftMs: number | null, 
/**
 * Of the files that are done, from the asked one on.
 */
accounts: Array<Account>, };

export type ImportParams = { "ask": "look", job?: number, from?: number, } | { "ask": "start", paths: Array<string>, } | { "ask": "stop", job: number, };

export type ImportState = "waiting" | "running" | "done" | "stopped";

export type Tokens = { 
/**
 * What went in, with what came from a cache.
 */
in: number, out: number, };

export type RunParams = { run: string, 
/**
 * The run as it was after this event (a seq of the run). Absent: as it is.
 */
at?: number, };

export type RunDetail = { position: number, run: RunRow, project: Project, 
/**
 * Asked for with `at`: that seq.
 */
at: number | null, 
/**
 * The store position of the last event counted here.
 */
headPosition: number, parent: RunLink | null, 
/**
 * Sub-runs, oldest first.
 */
children: Array<RunLink>, 
/**
 * `null`: the run never wrote one, or its last turn cleared it.
 */
plan: Plan | null, 
/**
 * What the run changed or was refused on, in the order of its first touch; at most 500.
 */
tasks: Array<RunTask>, 
/**
 * How many tasks there are in all.
 */
tasksTouched: number, 
/**
 * Most called first.
 */
tools: Array<ToolUse>, 
/**
 * Most frequent first.
 */
codes: Array<CodeCount>, 
/**
 * The files that told of it, with what became of their lines.
 */
files: Array<Account>, };

export type RunLink = { id: string, agent: string, status: string, started: string, ended: string | null, lastAt: string, events: number, rejected: number, };

export type Plan = { 
/**
 * The event that wrote it.
 */
seq: number, items: Array<PlanItem>, 
/**
 * Items that an earlier list had and that left it unfinished, oldest first.
 */
dropped: Array<string>, };

export type PlanItem = { content: string, 
/**
 * pending, in_progress or completed.
 */
status: string, };

export type RunTask = { id: number, subject: string, 
/**
 * As it is now, or was at `at`.
 */
status: TaskStatus, deleted: boolean, 
/**
 * How many versions this run wrote.
 */
changes: number, 
/**
 * How many of its calls aimed at the task were refused.
 */
refused: number, firstSeq: number, lastSeq: number, lastVersion: number, };

export type ToolUse = { tool: string, calls: number, refused: number, failed: number, };

export type CodeCount = { code: string, calls: number, repaired: number, };

export type EventsParams = { run: string, 
/**
 * Lines from this seq on. With `seqs`, ignored.
 */
from?: number, 
/**
 * At most this many, 1 to 500. Default 200.
 */
limit?: number, 
/**
 * Just these, in this order (what a filter left); at most 500.
 */
seqs?: number[], };

export type Events = { position: number, 
/**
 * The run's newest seq.
 */
head: number, events: Array<EventLine>, };

export type EventLine = { seq: number, position: number, kind: string, at: string, durationMs: number | null, lane: Lane, state: State, tool: string | null, task: number | null, version: number | null, 
/**
 * call_rejected: its code.
 */
code: string | null, 
/**
 * call_rejected: how it came out.
 */
outcome: Outcome | null, 
/**
 * task_updated: what changed.
 */
changes: Array<FieldChange>, 
/**
 * At most 200 characters of what it says: the subject, the message, the reason …
 */
text: string, };

export type Lane = "run" | "model" | "tools" | "board" | "plan" | "files" | "other";

export type State = "plain" | "ok" | "asked" | "rogue" | "failed" | "rejected";

export type EventParams = { run: string, seq: number, };

export type EventDetail = { line: EventLine, run: string, 
/**
 * The bytes that were hashed: canonical JSON.
 */
body: string, hash: string, prev: string, 
/**
 * The bytes hash to `hash`, and `prev` is the hash of the event before.
 */
fits: boolean, 
/**
 * The texts of the event that are kept apart because they are long.
 */
bodies: Array<BodyRef>, related: Array<Related>, };

export type BodyRef = { 
/**
 * Where in the payload, as a JSON pointer.
 */
path: string, digest: string, bytes: number, };

export type Related = { why: Why, run: string, line: EventLine, };

export type Why = "call" | "result" | "try" | "repair" | "stale_read" | "overtaken" | "version_before" | "version_after";

export type BodyParams = { digest: string, 
/**
 * Bytes to pass over.
 */
offset?: number, };

export type Body = { digest: string, bytes: number, offset: number, 
/**
 * At most 256 kB.
 */
text: string, next: number | null, };

export type RejectedParams = { project?: string, 
/**
 * Only those of this run.
 */
run?: string, 
/**
 * Only those that aimed at this task.
 */
task?: number, 
/**
 * With `run`: as it was after this seq.
 */
at?: number, 
/**
 * At most this many chains, newest first. Default 500, at most 2,000.
 */
limit?: number, };

export type Rejected = { position: number, 
/**
 * Refused calls in all, with those a flood left unwritten.
 */
calls: number, counts: OutcomeCounts, 
/**
 * From the first refusal to the repair.
 */
medianRepairMs: number | null, 
/**
 * Newest first.
 */
chains: Array<Chain>, 
/**
 * There are more than were sent.
 */
more: boolean, };

export type OutcomeCounts = { open: number, repaired: number, gaveUp: number, loop: number, expected: number, };

export type Outcome = "open" | "repaired" | "gave_up" | "loop" | "expected";

export type Chain = { run: string, 
/**
 * The first refusal; it names the chain.
 */
seq: number, actor: Actor, tool: string, 
/**
 * Of the first refusal.
 */
code: string, task: number | null, subject: string | null, outcome: Outcome, 
/**
 * Oldest first; at most 50 refused ones.
 */
tries: Array<Try>, repairedBy: number | null, repairMs: number | null, firstAt: string, lastAt: string, };

export type Try = { seq: number, at: string, 
/**
 * `null`: accepted.
 */
code: string | null, 
/**
 * Where the arguments were wrong, as `patch.status`; empty when the whole call was.
 */
paths: Array<string>, };

export type RejectionParams = { run: string, 
/**
 * Any try of the chain.
 */
seq: number, };

export type ChainDetail = { chain: Chain, tries: Array<TryDetail>, };

export type TryDetail = { seq: number, at: string, code: string | null, paths: Array<string>, 
/**
 * What the agent was told, word for word; empty for the accepted one.
 */
told: string, 
/**
 * The arguments as JSON text: masked; of an accepted call, what its event shows.
 */
arguments: string, 
/**
 * The arguments are longer than `arguments`; the rest is under this digest.
 */
digest: string | null, bytes: number, 
/**
 * What differs from the try before, as JSON pointers with both values.
 */
diff: Array<ArgumentChange>, };

export type ArgumentChange = { 
/**
 * As `patch.status`.
 */
path: string, 
/**
 * Absent: it was not there.
 */
before?: unknown, after?: unknown, };

export type ReplayParams = { project?: string, 
/**
 * With a run, `at` is a seq of that run; without, a position of the store.
 */
run?: string, at: number, };

export type Replay = { 
/**
 * The store's newest position now.
 */
position: number, project: Project, run: string | null, 
/**
 * What was asked for: a seq of the run, or a position.
 */
at: number, 
/**
 * The last one there is now.
 */
of: number, 
/**
 * The position after which the board is shown.
 */
atPosition: number, 
/**
 * When the event at `at` was written.
 */
time: string, 
/**
 * SHA-256 of the board's canonical form; equal to the live board's at that position.
 */
digest: string, tasks: Array<Card>, 
/**
 * Tasks that exist now and did not yet then, and tasks that are on the board now and were deleted then.
 */
ghosts: Array<Ghost>, 
/**
 * What the event at `at` changed on the board.
 */
changed: Changed | null, 
/**
 * The event at `at`.
 */
event: EventLine | null, 
/**
 * With a run: its plan then.
 */
plan: Plan | null, 
/**
 * With a run: refused calls up to then.
 */
rejected: number, };

export type Ghost = { id: number, subject: string, status: TaskStatus, };

export type Changed = { task: number, 
/**
 * task_created, task_updated, task_deleted, task_restored or call_rejected.
 */
kind: string, changes: Array<FieldChange>, };

export type VerifyParams = { run: string, 
/**
 * `start` checks anew, `stop` ends a check under way, `look` (the default) starts one only when
 * there is none for the run as it stands.
 */
ask?: VerifyAsk, };

export type VerifyAsk = "look" | "start" | "stop";

export type Verify = { run: string, state: VerifyState, 
/**
 * Events checked so far, of how many.
 */
done: number, of: number, 
/**
 * How long it will take yet, while running.
 */
leftMs: number | null, report: VerifyReport | null, 
/**
 * Signed marks, oldest first; the newest 500. While it runs they are left out.
 */
checkpoints: Array<CheckpointRow>, };

export type VerifyState = "running" | "sound" | "broken" | "stopped";

export type VerifyReport = { ok: boolean, events: number, firstBadSeq: number | null, problems: Array<Problem>, 
/**
 * Up to this seq a signed checkpoint vouches for the record; 0: none does.
 */
coveredTo: number, 
/**
 * Kinds of a later program: kept, and counted.
 */
unknown: Array<KindCount>, checkedAt: string, };

export type KindCount = { kind: string, events: number, };

export type Problem = { seq: number | null, 
/**
 * altered, gap, repeat, reorder, foreign_run, unreadable, cut_tail, swapped, checkpoint.
 */
kind: string, text: string, 
/**
 * Altered: the hash that was written, and what the bytes hash to.
 */
expected: string | null, found: string | null, };

export type CheckpointRow = { seq: number, at: string, 
/**
 * Both copies are there and say the same.
 */
inStore: boolean, outside: boolean, 
/**
 * The signature is by this store's key.
 */
signed: boolean, };

export type VerifyMark = { state: VerifyState, 
/**
 * Checked up to this seq; newer events were not.
 */
to: number, firstBadSeq: number | null, };

/** A kind's place here is its byte in an index. */
export const EVENT_KINDS = ['run_started', 'run_ended', 'run_resumed', 'turn_started', 'turn_ended', 'message', 'model_proposed', 'tool_called', 'tool_returned', 'tool_failed', 'permission_asked', 'permission_decided', 'call_answered', 'call_rejected', 'task_created', 'task_updated', 'task_deleted', 'task_restored', 'todo_written', 'note', 'rogue_file_seen', 'budget_exhausted', 'verdict', 'rejection_marked'] as const;

export type TaskFields = { id: string; version: number; status: TaskStatus; subject: string; description?: string; blockedBy: string[]; heldBy?: string };
