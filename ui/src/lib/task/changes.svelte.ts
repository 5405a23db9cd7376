// All that a person does to tasks: the call, what the screen shows meanwhile, and the way back.
import { type Outcome, SignedOut, taskOf } from '../client/client';
import type { Card, Refusal, TaskFields, TaskStatus } from '../client/types.gen';
import { send } from '../live/send';
import { session } from '../live/session.svelte';
import { t } from '../shared/i18n/i18n.svelte';
import { notices } from '../shared/notices.svelte';
import { inTurns } from '../shared/turns';
import { type LostMove, informed, lostMove } from './lost';

export interface Patch {
  status?: TaskStatus;
  subject?: string;
  description?: string;
  blockedBy?: string[];
}

type Step =
  | { tool: 'progress_update'; id: number; patch: Patch; expectedVersion: number }
  | { tool: 'progress_delete' | 'progress_restore'; id: number; expectedVersion: number };

const UNDO_MAX = 50;
/** Calls on their way at the same time, when many tasks are changed. */
const AT_ONCE = 6;

class Changes {
  /** Moves that lost a race, by task. */
  lost = $state.raw<ReadonlyMap<number, LostMove>>(new Map());
  private readonly undoable: Step[][] = [];
  /** Calls without an answer yet. */
  private readonly onTheWay = new Set<Promise<unknown>>();

  /** The answer or the refusal; `null` when no answer came, which was then said. */
  async call(tool: Parameters<typeof send>[0], args: Record<string, unknown>): Promise<Outcome | null> {
    const answer = this.callOnce(tool, args);
    this.onTheWay.add(answer);
    return answer.finally(() => this.onTheWay.delete(answer));
  }

  private async callOnce(tool: Parameters<typeof send>[0], args: Record<string, unknown>): Promise<Outcome | null> {
    try {
      const outcome = await send(tool, args);
      const fields = outcome.ok ? taskOf(outcome.answer) : null;
      if (fields) {
        if (tool === 'progress_delete') session.board.drop(Number(fields.id));
        else session.board.settle(fields, session.status?.person ?? '', Date.now());
        session.tick += 1;
      }
      return outcome;
    } catch (error) {
      if (error instanceof SignedOut) session.phase = 'signed_out';
      else notices.show('problem', t('unreachable'), { label: t('try_again'), run: () => void this.call(tool, args) });
      return null;
    }
  }

  update(id: number, patch: Patch, expectedVersion: number): Promise<Outcome | null> {
    return this.call('progress_update', { id: String(id), patch, expectedVersion });
  }

  /** Moves cards; those that are there already are left alone. */
  async move(ids: number[], to: TaskStatus): Promise<void> {
    const cards = ids.map((id) => session.board.cards.get(id)).filter((card) => card !== undefined && card.status !== to) as Card[];
    if (cards.length === 0) return;
    for (const card of cards) {
      session.board.wish(card.id, to);
      this.dismiss(card.id);
    }
    session.tick += 1;
    const steps: Step[] = [];
    const moved = await inTurns(cards, AT_ONCE, (card) => this.moveOne(card, to, card.version, steps));
    const count = moved.filter(Boolean).length;
    if (count === 0) return;
    this.remember(steps);
    const [only] = cards;
    if (cards.length === 1 && only) this.sayMoved(only.id, to);
    else notices.show('done', t('moved_many', { n: count, status: t(to) }), this.undoAction());
  }

  private async moveOne(seen: Card, to: TaskStatus, version: number, steps: Step[]): Promise<boolean> {
    const outcome = await this.update(seen.id, { status: to }, version);
    if (outcome?.ok) {
      const now = taskOf(outcome.answer)?.version ?? version + 1;
      steps.push({ tool: 'progress_update', id: seen.id, patch: { status: seen.status }, expectedVersion: now });
      return true;
    }
    session.board.unwish(seen.id);
    session.tick += 1;
    if (outcome) this.moveRefused(outcome.refusal, seen, to);
    return false;
  }

  private moveRefused(refusal: Refusal, seen: Card, to: TaskStatus): void {
    const lost = lostMove(refusal, to, seen, session.board.cards.get(seen.id), Date.now());
    if (!lost) return this.refused(refusal);
    this.lost = new Map(this.lost).set(seen.id, lost);
  }

  private sayMoved(id: number, to: TaskStatus): void {
    const { ids } = session.board.columns[to];
    notices.show('done', t('moved', { id, status: t(to), at: ids.indexOf(id) + 1, of: ids.length }), this.undoAction());
  }

  /** What the board has heard since about the moves that lost. */
  inform(): void {
    if (this.lost.size === 0) return;
    const next = new Map<number, LostMove>();
    let changed = false;
    for (const [id, lost] of this.lost) {
      const told = informed(lost, session.board.cards.get(id));
      changed ||= told !== lost;
      next.set(id, told);
    }
    if (changed) this.lost = next;
  }

  async applyAnyway(id: number): Promise<void> {
    const lost = this.lost.get(id);
    const card = session.board.cards.get(id);
    this.dismiss(id);
    if (!lost || !card) return;
    const steps: Step[] = [];
    session.board.wish(id, lost.wanted);
    session.tick += 1;
    if (!(await this.moveOne(card, lost.wanted, Math.max(card.version, lost.version), steps))) return;
    this.remember(steps);
    this.sayMoved(id, lost.wanted);
  }

  dismiss(id: number): void {
    if (!this.lost.has(id)) return;
    const next = new Map(this.lost);
    next.delete(id);
    this.lost = next;
  }

  async create(args: { subject: string; description?: string; blockedBy?: string[] }): Promise<Outcome | null> {
    const outcome = await this.call('progress_create', args);
    const fields = outcome?.ok ? taskOf(outcome.answer) : null;
    if (fields) {
      this.remember([{ tool: 'progress_delete', id: Number(fields.id), expectedVersion: fields.version }]);
      notices.show('done', t('created', { id: fields.id }), this.undoAction());
    }
    return outcome;
  }

  /** The refusal when it was refused; `null` otherwise. */
  async remove(id: number, expectedVersion: number): Promise<Refusal | null> {
    return this.flip('progress_delete', id, expectedVersion);
  }
  async restore(id: number, expectedVersion: number): Promise<Refusal | null> {
    return this.flip('progress_restore', id, expectedVersion);
  }

  private async flip(tool: 'progress_delete' | 'progress_restore', id: number, expectedVersion: number): Promise<Refusal | null> {
    const outcome = await this.call(tool, { id: String(id), expectedVersion });
    if (!outcome) return null;
    if (!outcome.ok) {
      this.refused(outcome.refusal);
      return outcome.refusal;
    }
    const version = taskOf(outcome.answer)?.version ?? expectedVersion + 1;
    const back = tool === 'progress_delete' ? 'progress_restore' : 'progress_delete';
    this.remember([{ tool: back, id, expectedVersion: version }]);
    notices.show('done', t(tool === 'progress_delete' ? 'deleted' : 'restored', { id }), this.undoAction());
    return null;
  }

  /** An edit was saved: how to take it back, and the words for it. */
  saved(fields: TaskFields, back: Patch, mergedWith: string | null): void {
    this.remember([{ tool: 'progress_update', id: Number(fields.id), patch: back, expectedVersion: fields.version }]);
    const params = { id: fields.id, n: fields.version };
    notices.show('done', mergedWith === null ? t('saved', params) : t('saved_merged', { ...params, who: mergedWith }), this.undoAction());
  }

  refused(refusal: Refusal): void {
    notices.show('problem', t('call_refused', { code: refusal.code, message: refusal.issues[0]?.problem ?? refusal.message }));
  }

  remember(steps: Step[]): void {
    this.undoable.push(steps);
    if (this.undoable.length > UNDO_MAX) this.undoable.shift();
  }

  private undoAction() {
    const steps = this.undoable.at(-1);
    return {
      label: t('undo'),
      run: () => {
        const at = steps ? this.undoable.indexOf(steps) : -1;
        if (steps && at >= 0) void this.takeBack(this.undoable.splice(at, 1)[0] ?? []);
      },
    };
  }

  /** Takes the last change back, by a new version. One that is still on its way is the last. */
  async undo(): Promise<void> {
    if (session.readOnly !== null) return notices.say(session.readOnly);
    while (this.onTheWay.size > 0) {
      await Promise.all(this.onTheWay);
      // What follows the answer, such as remembering the way back.
      await new Promise((done) => setTimeout(done));
    }
    const steps = this.undoable.pop();
    if (!steps) return notices.show('done', t('undo_nothing'));
    await this.takeBack(steps);
  }

  private async takeBack(steps: Step[]): Promise<void> {
    const outcomes = await inTurns(steps, AT_ONCE, async ({ tool, id, ...args }) => ({
      id,
      outcome: await this.call(tool, { ...args, id: String(id) }),
    }));
    const late = outcomes.find(({ outcome }) => outcome && !outcome.ok);
    if (late?.outcome && !late.outcome.ok) {
      const who = session.board.cards.get(late.id)?.changedBy.name ?? late.outcome.refusal.current?.heldBy ?? '?';
      if (late.outcome.refusal.code === 'STALE') notices.show('problem', t('undo_late', { id: late.id, who }));
      else this.refused(late.outcome.refusal);
    } else if (outcomes.every(({ outcome }) => outcome)) notices.show('done', t('undone'));
  }
}

export const changes = new Changes();
