// The task in the drawer, live, and the person's draft of it.
import type { Issue, TaskDetail } from '../client/types.gen';
import { Refused, SignedOut, taskOf } from '../client/client';
import { Refetch } from '../live/refetch';
import { session } from '../live/session.svelte';
import { read, write as store } from '../shared/storage';
import { changes, type Patch } from './changes.svelte';
import * as drafts from './draft';

const TRIES_MAX = 3;

class OpenTask {
  id = $state<number | null>(null);
  detail = $state.raw<TaskDetail | null>(null);
  missing = $state(false);
  draft = $state.raw<drafts.Draft>(drafts.empty);
  /** What the owner said is wrong with what was sent, by path. */
  problems = $state.raw<Issue[]>([]);
  saving = $state(false);
  private readonly fetch = new Refetch(() => this.load());

  current: drafts.Current | null = $derived(
    this.detail && { version: this.detail.version, subject: this.detail.subject, description: this.detail.description ?? '' },
  );
  conflicts: drafts.TextField[] = $derived(this.current ? drafts.conflicts(this.draft, this.current) : []);
  editing: boolean = $derived(Object.keys(this.draft.fields).length > 0);
  /** Others changed the task since the draft was begun, but not the same fields. */
  merges: boolean = $derived(
    this.current !== null && this.conflicts.length === 0 && drafts.touched(this.draft) && drafts.behind(this.draft, this.current) !== null,
  );

  show(id: number | null): void {
    if (id === this.id) return;
    this.id = id;
    this.detail = null;
    this.missing = false;
    this.problems = [];
    this.draft = drafts.empty;
    if (id !== null) this.fetch.ask();
  }

  refresh(): void {
    if (this.id !== null) this.fetch.ask();
  }

  private get key(): string {
    return `draft.${session.board.project?.id ?? ''}.${this.id}`;
  }

  private async load(): Promise<void> {
    const { id } = this;
    if (id === null) return;
    const project = session.board.project?.id;
    try {
      const detail = await session.client.view('task', { id, ...(project === undefined ? {} : { project }) });
      if (id !== this.id) return;
      if (!this.detail) this.draft = drafts.parse(read(this.key));
      this.detail = detail;
      this.missing = false;
      if (this.current) this.draft = drafts.follow(this.draft, this.current);
    } catch (error) {
      if (error instanceof SignedOut) session.phase = 'signed_out';
      else if (error instanceof Refused && id === this.id) this.missing = !this.detail;
    }
  }

  // ── the draft ──

  private keep(draft: drafts.Draft): void {
    this.draft = draft;
    store(this.key, drafts.touched(draft) ? JSON.stringify(draft) : null);
  }
  begin(field: drafts.TextField): void {
    if (this.current && !this.detail?.deleted) this.keep(drafts.begin(this.draft, field, this.current));
  }
  write(field: drafts.TextField, text: string): void {
    this.keep(drafts.write(this.draft, field, text));
  }
  leave(field: drafts.TextField): void {
    this.keep(drafts.leave(this.draft, field));
    this.problems = this.problems.filter(({ path }) => path !== `patch.${field}`);
  }
  keepMine(field: drafts.TextField): void {
    if (this.current) this.keep(drafts.keepMine(this.draft, field, this.current));
  }
  discard(): void {
    this.keep(drafts.empty);
    this.problems = [];
  }

  problem(field: drafts.TextField | 'blockedBy'): Issue | undefined {
    return this.problems.find(({ path }) => path.replace(/^patch\./, '').replace(/\[\d+\]$/, '') === field);
  }

  /** Saves what was changed. Another's change of another field is kept; of the same field stops it. */
  async save(): Promise<void> {
    if (this.saving) return;
    this.saving = true;
    this.problems = [];
    try {
      for (let tries = 0; tries < TRIES_MAX; tries += 1) if (await this.saveOnce()) return;
    } finally {
      this.saving = false;
    }
  }

  /** False when it lost a race and may be sent again. */
  private async saveOnce(): Promise<boolean> {
    const { current, detail, id } = this;
    if (!current || !detail || id === null || detail.deleted || this.conflicts.length > 0) return true;
    const patch = drafts.patchOf(this.draft, current);
    if (Object.keys(patch).length === 0) {
      this.discard();
      return true;
    }
    const mergedWith = drafts.behind(this.draft, current) === null ? null : detail.changedBy.name;
    const outcome = await changes.update(id, patch, current.version);
    if (!outcome) return true;
    const fields = outcome.ok ? taskOf(outcome.answer) : null;
    if (fields) {
      const back: Patch = {};
      for (const field of drafts.TEXTS) if (patch[field] !== undefined) back[field] = current[field];
      changes.saved(fields, back, mergedWith);
      if (id === this.id) this.discard();
      this.refresh();
      return true;
    }
    if (outcome.ok) return true;
    const { refusal } = outcome;
    if (refusal.code === 'STALE' || refusal.code === 'NOT_FOUND') {
      await this.load();
      return refusal.code === 'NOT_FOUND';
    }
    this.problems = refusal.issues;
    if (refusal.issues.every(({ path }) => !/^patch\.(subject|description)$/.test(path))) changes.refused(refusal);
    return true;
  }

  /** Adds or removes a blocker; on top of the present list when that changed meanwhile. */
  async block(other: number, add: boolean): Promise<boolean> {
    this.problems = [];
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const { detail } = this;
      if (!detail) return false;
      const before = detail.blockedBy.map(({ id }) => String(id));
      const blockedBy = add ? [...before, String(other)] : before.filter((id) => id !== String(other));
      const outcome = await changes.update(detail.id, { blockedBy }, detail.version);
      if (!outcome) return false;
      await this.load();
      if (outcome.ok) {
        const fields = taskOf(outcome.answer);
        if (fields) changes.saved(fields, { blockedBy: before }, null);
        return true;
      }
      if (outcome.refusal.code !== 'STALE') {
        this.problems = outcome.refusal.issues;
        if (!this.problem('blockedBy')) changes.refused(outcome.refusal);
        return false;
      }
    }
    return false;
  }
}

export const open = new OpenTask();
