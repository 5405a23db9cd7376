// A project that looks like one, and three scripted agents with their mistakes.
import type { FakeOwner } from './fake';
import type { TaskStatus } from './types.gen';

const BACKLOG: [string, string, number[]][] = [
  ['Set up the repository and CI', '', []],
  ['Choose the database and write the schema', 'PostgreSQL; one migration per change.', [1]],
  ['Design the public API', 'OpenAPI file, reviewed by the mobile team.', []],
  ['Sign-in with one-time codes', 'Codes live ten minutes and work once.', [2, 3]],
  ['Rate limit the sign-in route', 'At most five tries a minute for one address.', [4]],
  ['List and search orders', 'Cursor pages of fifty.', [2, 3]],
  ['Export orders as CSV', '', [6]],
  ['Retry webhooks with back-off', 'Six tries within a day; then tell the owner.', [2]],
  ['Move product images to object storage without breaking the links that customers have already shared in their mails', '', []],
  ['Write the load test', 'One thousand sign-ins a minute for ten minutes.', [5, 6]],
  ['Translate error messages into Chinese / 错误信息中文化', '', [3]],
  ['Release notes for 1.0', '', [7, 8, 10]],
];

const AGENTS = ['codex', 'claude-code', 'opencode'];
const NEXT: Record<TaskStatus, TaskStatus> = { pending: 'in_progress', in_progress: 'done', blocked: 'in_progress', done: 'pending' };

export function backlog(owner: FakeOwner): void {
  for (const [subject, description, blockedBy] of BACKLOG) owner.agent('codex', 'progress_create', { subject, description, blockedBy: blockedBy.map(String) });
  const move = (agent: string, id: number, status: string) => {
    const version = owner.store.tasks.get(id)?.version;
    owner.agent(agent, 'progress_update', { id: String(id), patch: { status }, expectedVersion: version });
  };
  move('codex', 1, 'done');
  move('codex', 3, 'done');
  move('codex', 2, 'in_progress');
  move('claude-code', 8, 'in_progress');
  move('opencode', 9, 'blocked');
  owner.agent('codex', 'progress_update', { id: '2', expectedVersion: 2, patch: { status: 'Done' } });
  owner.agent('opencode', 'progress_update', { id: '8', expectedVersion: 1, patch: { status: 'done' } });
}

/** `count` tasks spread over the columns, without history. */
export function many(owner: FakeOwner, count: number): void {
  const status: TaskStatus[] = ['pending', 'in_progress', 'blocked', 'done'];
  const start = Date.parse('2026-11-30T09:00:00.000Z');
  for (let id = 1; id <= count; id += 1) {
    const [subject = ''] = BACKLOG[id % BACKLOG.length] ?? [];
    const at = new Date(start + id * 1000).toISOString();
    const actor = { kind: 'agent' as const, name: AGENTS[id % 3] ?? 'codex' };
    const state = status[(id * 7) % 10 < 4 ? 0 : (id * 7) % 10 < 5 ? 1 : (id * 7) % 10 < 6 ? 2 : 3] ?? 'pending';
    owner.store.seed({
      id, version: 1 + (id % 5), status: state, subject: `${subject} (${id})`, description: null, blockedBy: id % 9 === 0 ? [id - 1] : [],
      heldBy: state === 'in_progress' ? actor : null, deleted: false, createdAt: at, createdBy: actor, changedAt: at, changedBy: actor,
    });
  }
}

/** One step of one agent. */
function step(owner: FakeOwner, turn: number): void {
  const agent = AGENTS[turn % 3] ?? 'codex';
  const live = [...owner.store.tasks.values()].filter((task) => !task.deleted);
  const task = live[(turn * 5) % Math.max(1, live.length)];
  if (!task) return;
  const id = String(task.id);
  if (turn % 11 === 4) owner.agent(agent, 'progress_update', { id, patch: { status: 'Done' }, expectedVersion: task.version });
  else if (turn % 7 === 3) owner.agent(agent, 'progress_update', { id, patch: { status: 'done' }, expectedVersion: task.version + 3 });
  else if (turn % 9 === 5) owner.agent(agent, 'progress_update', { id, patch: { description: `Looked at it in turn ${turn}.` }, expectedVersion: task.version });
  else if (turn % 13 === 6) owner.agent(agent, 'progress_create', { subject: `Follow-up ${turn}: check the edge cases`, blockedBy: [id] });
  else owner.agent(agent, 'progress_update', { id, patch: { status: turn % 6 === 1 ? 'blocked' : NEXT[task.status] }, expectedVersion: task.version });
}

export function play(owner: FakeOwner, paceMs: number): void {
  let turn = 0;
  setInterval(() => step(owner, (turn += 1)), paceMs);
}
