// A make-believe owner in memory, for tests and for working on the page without a program. It keeps
// the rules that a page can notice; the real ones are in the program.
import { type Client, type FeedMessage, type Outcome, Refused, SignedOut, Unreachable } from './client';
import { FakeStore, type FakeTask } from './fakeStore';
import type { Actor, Code, FieldChange, Issue, Refusal, Tag, TaskStatus } from './types.gen';

const STATUSES: readonly string[] = ['pending', 'in_progress', 'blocked', 'done'];
export const PERSON: Actor = { kind: 'person', name: 'Ada' };

class Stop extends Error {
  readonly refusal: Refusal;
  constructor(code: Code, message: string, issues: Issue[] = [], more: Partial<Refusal> = {}) {
    super(message);
    this.refusal = { code, message, issues, ...more };
  }
}

const issue = (path: string, problem: string, got: unknown, expected: string, fix: string): Issue => ({ path, problem, got, expected, fix });

export class FakeOwner implements Client {
  readonly store = new FakeStore();
  readOnly: string | null = null;
  signedOut = false;
  down = false;
  owner = 'owner-1';
  latencyMs = 0;
  /** So many answers get lost after the call was carried out. */
  answersLost = 0;
  /** What was asked, for tests. */
  readonly asked: string[] = [];
  private readonly listeners = new Set<(messages: FeedMessage[]) => void>();
  private readonly answers = new Map<string, { body: string; outcome: Outcome }>();
  private beat: ReturnType<typeof setInterval> | undefined;

  async view(name: string, params: unknown): Promise<never> {
    this.asked.push(name);
    await this.wait();
    const { store } = this;
    const { since, id } = params as { since?: number; id?: number };
    const live = [...store.tasks.values()].filter((task) => !task.deleted);
    switch (name) {
      case 'board': {
        const full = since === undefined || since > store.position;
        const changed = full ? live : [...store.tasks.values()].filter((task) => task.position > since);
        const there = store.tasks.size > 0 || store.position > 0;
        return {
          project: there ? store.project : null, projects: there ? [store.project] : [], position: store.position, full,
          tasks: changed.filter((task) => !task.deleted).map((task) => store.card(task)),
          removed: full ? [] : changed.filter((task) => task.deleted).map((task) => task.id),
          strip: store.strip.filter((item) => item.position > (full ? 0 : since)).slice(-60),
        } as never;
      }
      case 'task': {
        const task = store.tasks.get(id ?? 0);
        if (!task) throw new Refused({ code: 'NOT_FOUND', message: `there is no task #${id} on this board`, issues: [] });
        return store.detail(task) as never;
      }
      case 'runs':
        return structuredClone({ position: store.position, runs: [...store.runs.values()].reverse() }) as never;
      case 'trash':
        return { position: store.position, tasks: [...store.tasks.values()].filter((task) => task.deleted).map((task) => store.card(task)) } as never;
      case 'rejected':
        return { position: store.position, calls: 0, counts: { open: 0, repaired: 0, gaveUp: 0, loop: 0, expected: 0 }, medianRepairMs: null, chains: [], more: false } as never;
      case 'run': case 'events': case 'event': case 'body': case 'rejection': case 'replay': case 'verify': case 'import':
        throw new Refused({ code: 'NOT_FOUND', message: 'the make-believe owner keeps no ledger', issues: [] });
      default:
        return {
          version: '0.1.0', data: '~/.local/share/tallyboard', position: store.position, readOnly: this.readOnly,
          mcpUrl: 'http://127.0.0.1:8737/mcp', tokenFile: '~/.local/share/tallyboard/agent.token', person: PERSON.name,
          tasks: live.length, runsOpen: [...store.runs.values()].filter((run) => run.status === 'running').length, rejected: store.rejected,
        } as never;
    }
  }

  async bytes(): Promise<ArrayBuffer> {
    await this.wait();
    throw new Refused({ code: 'NOT_FOUND', message: 'the make-believe owner keeps no ledger', issues: [] });
  }

  async call(_project: string | null, tool: string, args: Record<string, unknown>): Promise<Outcome> {
    await this.wait();
    const outcome = this.perform(PERSON, tool, args);
    if (this.answersLost > 0) {
      this.answersLost -= 1;
      throw new Unreachable('the answer got lost');
    }
    return outcome;
  }

  feed(listener: (messages: FeedMessage[]) => void): () => void {
    this.listeners.add(listener);
    this.beat ??= setInterval(() => this.tell({ type: 'beat', position: this.store.position }), 1000);
    if (this.signedOut) listener([{ type: 'signed_out' }]);
    else if (!this.down) listener([this.hello()]);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      clearInterval(this.beat);
      this.beat = undefined;
    };
  }

  // ── what a test or the script makes happen ──

  /** A call as an agent makes it. */
  agent(name: string, tool: string, args: Record<string, unknown>): Outcome {
    return this.perform({ kind: 'agent', name }, tool, args);
  }

  kill(): void {
    this.tell({ type: 'lost' });
    this.down = true;
  }

  restart(owner = `${this.owner}+`): void {
    this.down = false;
    this.owner = owner;
    this.tell(this.hello());
  }

  turnReadOnly(why: string | null): void {
    this.readOnly = why;
    this.changed([{ kind: 'store' }]);
  }

  private hello(): FeedMessage {
    return { type: 'hello', position: this.store.position, version: '0.1.0', owner: this.owner };
  }

  private tell(message: FeedMessage): void {
    if (!this.down) for (const listener of [...this.listeners]) listener([message]);
  }

  private changed(tags: Tag[]): void {
    this.tell({ type: 'change', position: this.store.position, tags });
  }

  private async wait(): Promise<void> {
    if (this.latencyMs > 0) await new Promise((done) => setTimeout(done, this.latencyMs));
    if (this.signedOut) throw new SignedOut();
    if (this.down) throw new Unreachable('nobody listens');
  }

  private perform(actor: Actor, tool: string, args: Record<string, unknown>): Outcome {
    const { store } = this;
    const key = typeof args['idempotencyKey'] === 'string' ? `${actor.kind} ${args['idempotencyKey']}` : null;
    const body = JSON.stringify([tool, args]);
    const before = key === null ? undefined : this.answers.get(key);
    if (before?.body === body) return before.outcome;
    const run = store.run(actor, actor.kind === 'agent' ? 'bridge' : 'browser');
    try {
      if (this.readOnly !== null) throw new Stop('STORE_UNAVAILABLE', this.readOnly);
      const task = this.carryOut(actor, tool, args);
      const outcome: Outcome = { ok: true, answer: { text: `#${task.id} v${task.version}`, structured: { task: store.fields(task) } } };
      if (key !== null) this.answers.set(key, { body, outcome });
      this.changed([{ kind: 'task', project: 'p1', id: task.id }, { kind: 'run', project: 'p1', run: run.id }]);
      return outcome;
    } catch (stop) {
      if (!(stop instanceof Stop)) throw stop;
      const { refusal } = stop;
      const lines = refusal.issues.map((at, index) => `\n${index + 1}. ${at.path}: ${at.problem}. Expected: ${at.expected}. Fix: ${at.fix}.`);
      const aim = store.tasks.get(Number(String(args['id'] ?? '').replace('#', '')));
      store.reject(actor, tool, refusal.code, `${refusal.code}: ${refusal.message}${lines.join('')}`, args, aim);
      const tags: Tag[] = [{ kind: 'run', project: 'p1', run: run.id }];
      this.changed(aim ? [...tags, { kind: 'task', project: 'p1', id: aim.id }] : tags);
      return { ok: false, refusal };
    }
  }

  private carryOut(actor: Actor, tool: string, args: Record<string, unknown>): FakeTask {
    const { store } = this;
    if (tool === 'progress_create') {
      const { subject, description = null, blockedBy = [] } = this.checked(args, '');
      if (subject === undefined) {
        const missing = issue('subject', 'missing', null, 'a text of 1-200 characters on one line', 'add "subject"');
        throw new Stop('INVALID_INPUT', 'progress_create was refused, nothing changed; 1 problem:', [missing]);
      }
      return store.create(actor, { subject, description: description || null, blockedBy });
    }
    const task = this.aimed(tool, args);
    if (tool === 'progress_delete' || tool === 'progress_restore') {
      store.remove(task, actor, tool === 'progress_delete');
      return task;
    }
    const patch = this.checked((args['patch'] ?? {}) as Record<string, unknown>, 'patch.');
    const changes: FieldChange[] = [];
    for (const [field, after] of Object.entries(patch) as [keyof typeof patch, string | number[]][]) {
      const before = task[field as 'subject'] as string | number[] | null;
      const wanted = field === 'description' && after === '' ? null : after;
      if (JSON.stringify(before) !== JSON.stringify(wanted)) changes.push({ field, before, after: wanted });
    }
    if (patch.blockedBy?.includes(task.id)) {
      const circle = issue('patch.blockedBy', `closes a circle: #${task.id} is blocked by #${task.id}`, patch.blockedBy.map(String), 'blockers that do not wait for this task', `leave #${task.id} out`);
      throw new Stop('CYCLE', `these blockers would close a circle: #${task.id} is blocked by #${task.id}. Nothing changed.`, [circle]);
    }
    store.change(task, actor, changes);
    return task;
  }

  private aimed(tool: string, args: Record<string, unknown>): FakeTask {
    const id = Number(String(args['id']).replace('#', ''));
    const task = this.store.tasks.get(id);
    if (!task || task.deleted !== (tool === 'progress_restore')) {
      throw new Stop('NOT_FOUND', `there is no live task #${id}; nothing changed.`, [issue('id', `there is no live task #${id}`, String(id), 'the number of a live task', 'call progress_list')]);
    }
    const sent = args['expectedVersion'];
    if (sent !== task.version) {
      const retry = { tool, arguments: { ...args, expectedVersion: task.version } };
      const stale = issue('expectedVersion', 'not the present version', sent ?? null, String(task.version), 'look at the task as it is now, then send it again with this version');
      throw new Stop('STALE', `task #${id} is at version ${task.version}, not ${String(sent)}. Nothing changed.`, [stale], { current: this.store.fields(task), retry });
    }
    return task;
  }

  private checked(input: Record<string, unknown>, at: string): { subject?: string; description?: string; status?: TaskStatus; blockedBy?: number[] } {
    const issues: Issue[] = [];
    const { subject, description, status, blockedBy } = input;
    if (typeof subject === 'string' && subject.trim() === '') issues.push(issue(`${at}subject`, 'the text is blank', subject, 'a text of 1-200 characters on one line', 'send a text with at least one visible character'));
    if (typeof subject === 'string' && subject.length > 200) issues.push(issue(`${at}subject`, `the text has ${subject.length} characters, 200 at most`, subject, 'a text of 1-200 characters on one line', `shorten it by ${subject.length - 200} characters to 200`));
    if (typeof description === 'string' && description.length > 2000) issues.push(issue(`${at}description`, `the text has ${description.length} characters, 2000 at most`, '…', 'a text of at most 2000 characters', 'shorten it'));
    if (status !== undefined && !STATUSES.includes(String(status))) issues.push(issue(`${at}status`, 'not one of the allowed values', status, STATUSES.join(' | '), `send "${String(status).toLowerCase()}"`));
    const numbers = Array.isArray(blockedBy) ? blockedBy.map((id) => Number(String(id).replace('#', ''))) : undefined;
    numbers?.forEach((id, index) => {
      if (this.store.live([id]).length === 0) issues.push(issue(`${at}blockedBy[${index}]`, `there is no live task #${id}`, String(id), 'the number of a live task', 'leave it out'));
    });
    if (issues.length > 0) throw new Stop(issues[0]?.path.includes('blockedBy') ? 'NOT_FOUND' : 'INVALID_INPUT', `refused, nothing changed; ${issues.length} problems:`, issues);
    const out: { subject?: string; description?: string; status?: TaskStatus; blockedBy?: number[] } = {};
    if (typeof subject === 'string') out.subject = subject;
    if (typeof description === 'string') out.description = description;
    if (status !== undefined) out.status = status as TaskStatus;
    if (numbers) out.blockedBy = [...new Set(numbers)].sort((a, b) => a - b);
    return out;
  }
}
