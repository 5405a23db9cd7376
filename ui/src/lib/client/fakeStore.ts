// The state of the make-believe owner: tasks, versions, refusals and the events they leave.
import type {
  Actor, Card, FieldChange, Rejection, RunRow, StripItem, TaskDetail, TaskFields, TaskStatus, TaskVersion,
} from './types.gen';

export interface FakeTask {
  id: number;
  version: number;
  status: TaskStatus;
  subject: string;
  description: string | null;
  blockedBy: number[];
  heldBy: Actor | null;
  deleted: boolean;
  createdAt: string;
  createdBy: Actor;
  changedAt: string;
  changedBy: Actor;
  position: number;
  versions: TaskVersion[];
  rejected: Rejection[];
}

export class FakeStore {
  readonly project = { id: 'p1', name: 'acme-shop', path: '~/code/acme-shop' };
  readonly tasks = new Map<number, FakeTask>();
  readonly strip: StripItem[] = [];
  readonly runs = new Map<string, RunRow>();
  position = 0;
  rejected = 0;
  now: () => Date = () => new Date();

  run(actor: Actor, source: string): RunRow {
    const found = this.runs.get(actor.name);
    if (found) return found;
    const at = this.now().toISOString();
    const row: RunRow = {
      id: `0199-${actor.name}`, project: this.project.id, agent: actor.name, agentVersion: actor.kind === 'agent' ? '1.4.0' : null,
      actor: actor.kind, status: 'running', source, events: 0, rejected: 0, started: at, lastAt: at,
      openRefusals: 0, parent: null, title: null, tokensIn: null, tokensOut: null, cost: null, verify: null,
    };
    this.runs.set(actor.name, row);
    this.event(actor, 'run_started', {});
    return row;
  }

  event(actor: Actor, kind: string, more: Partial<StripItem>): StripItem {
    const run = this.runs.get(actor.name);
    if (run) {
      run.events += 1;
      run.lastAt = this.now().toISOString();
    }
    this.position += 1;
    const item: StripItem = {
      position: this.position, run: run?.id ?? 'none', seq: run?.events ?? 1, kind, at: this.now().toISOString(), actor,
      unattributed: false, task: null, subject: null, changes: [], outcome: kind === 'call_rejected' ? 'open' : null, tool: null, code: null, text: null, ...more,
    };
    this.strip.push(item);
    if (this.strip.length > 400) this.strip.splice(0, 200);
    return item;
  }

  create(actor: Actor, fields: { subject: string; description: string | null; blockedBy: number[] }): FakeTask {
    const id = Math.max(0, ...this.tasks.keys()) + 1;
    const at = this.now().toISOString();
    const task: FakeTask = {
      id, version: 1, status: 'pending', heldBy: null, deleted: false, createdAt: at, createdBy: actor, changedAt: at,
      changedBy: actor, position: 0, versions: [], rejected: [], ...fields,
    };
    this.tasks.set(id, task);
    this.versioned(task, actor, 'task_created', []);
    return task;
  }

  /** Fills the board without events, for large fixtures. */
  seed(task: Omit<FakeTask, 'versions' | 'rejected' | 'position'>): void {
    this.tasks.set(task.id, { ...task, position: this.position, versions: [], rejected: [] });
  }

  change(task: FakeTask, actor: Actor, changes: FieldChange[]): void {
    for (const change of changes) {
      Object.assign(task, { [change.field]: change.after });
      if (change.field === 'status') task.heldBy = change.after === 'in_progress' ? actor : null;
    }
    task.version += 1;
    this.versioned(task, actor, 'task_updated', changes);
  }

  remove(task: FakeTask, actor: Actor, deleted: boolean): void {
    task.deleted = deleted;
    task.heldBy = null;
    task.version += 1;
    this.versioned(task, actor, deleted ? 'task_deleted' : 'task_restored', []);
  }

  reject(actor: Actor, tool: string, code: string, text: string, args: unknown, task: FakeTask | undefined): void {
    this.rejected += 1;
    const run = this.runs.get(actor.name);
    if (run) run.rejected += 1;
    const item = this.event(actor, 'call_rejected', { tool, code, text, task: task?.id ?? null, subject: task?.subject ?? null });
    if (!task) return;
    task.position = item.position;
    task.rejected.unshift({
      position: item.position, run: item.run, seq: item.seq, at: item.at, actor, tool, code, outcome: 'open', chain: item.seq, text, arguments: JSON.stringify(args),
    });
  }

  private versioned(task: FakeTask, actor: Actor, kind: string, changes: FieldChange[]): void {
    const item = this.event(actor, kind, { task: task.id, subject: task.subject, changes });
    task.changedAt = item.at;
    task.changedBy = actor;
    task.position = item.position;
    task.versions.unshift({
      version: task.version, at: item.at, actor, run: item.run, seq: item.seq, position: item.position, kind, changes,
      tool: kind.replace('task_', 'progress_').replace(/d$/, ''), key: null,
    });
  }

  live(numbers: number[]): number[] {
    return numbers.filter((id) => this.tasks.get(id)?.deleted === false);
  }

  card(task: FakeTask): Card {
    const { id, version, status, subject, heldBy, changedAt, changedBy } = task;
    return { id, version, status, subject, blockedBy: this.live(task.blockedBy), heldBy, rejected: task.rejected.length, outcome: task.rejected.length > 0 ? 'open' : null, changedAt, changedBy };
  }

  fields(task: FakeTask): TaskFields {
    const { id, version, status, subject, description, heldBy } = task;
    return {
      id: String(id), version, status, subject, ...(description ? { description } : {}),
      blockedBy: this.live(task.blockedBy).map(String), ...(heldBy ? { heldBy: heldBy.name } : {}),
    };
  }

  detail(task: FakeTask): TaskDetail {
    const link = (id: number) => {
      const other = this.tasks.get(id);
      return other && !other.deleted ? [{ id, status: other.status, subject: other.subject }] : [];
    };
    const { position: _, blockedBy, ...rest } = structuredClone(task);
    const blocks = [...this.tasks.values()].filter((other) => other.blockedBy.includes(task.id)).map((other) => other.id);
    return { ...rest, project: this.project.id, position: this.position, blockedBy: blockedBy.flatMap(link), blocks: blocks.flatMap(link) };
  }
}
