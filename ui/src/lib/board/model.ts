// The board in memory: what the owner sent, merged, and in columns. Knows nothing of the framework.
import type { Board, Card, Project, TaskFields, TaskStatus } from '../client/types.gen';
import { Column } from './column';

export const STATUSES = ['pending', 'in_progress', 'blocked', 'done'] as const satisfies TaskStatus[];

export class BoardModel {
  readonly cards = new Map<number, Card>();
  readonly columns: Record<TaskStatus, Column> = {
    pending: new Column(), in_progress: new Column(), blocked: new Column(), done: new Column(),
  };
  project: Project | null = null;
  projects: Project[] = [];
  /** -1: nothing was loaded yet. */
  position = -1;
  /** Removed cards that a held column may still show. */
  readonly gone = new Map<number, Card>();
  /** Where a person's own move put a card before the owner agreed. */
  private readonly wished = new Map<number, TaskStatus>();

  /** The numbers of the cards that changed; `null` for all. */
  merge(board: Board): number[] | null {
    this.projects = board.projects;
    this.project = board.project;
    this.position = board.position;
    if (board.full) {
      this.replace(board.tasks);
      return null;
    }
    const changed: number[] = [];
    for (const card of board.tasks) if (this.put(card)) changed.push(card.id);
    for (const id of board.removed) if (this.remove(id)) changed.push(id);
    return changed;
  }

  private replace(cards: Card[]): void {
    this.cards.clear();
    this.gone.clear();
    const entries: Record<TaskStatus, [number, number][]> = { pending: [], in_progress: [], blocked: [], done: [] };
    for (const card of cards) {
      this.cards.set(card.id, card);
      entries[this.columnOf(card)].push([card.id, this.key(card)]);
    }
    for (const status of STATUSES) this.columns[status].reset(entries[status]);
  }

  clear(): void {
    this.replace([]);
    this.wished.clear();
    this.position = -1;
  }

  columnOf(card: Card): TaskStatus {
    return this.wished.get(card.id) ?? card.status;
  }

  /** By number; what is done, the latest first. */
  private key(card: Card): number {
    return this.columnOf(card) === 'done' ? -Date.parse(card.changedAt) : card.id;
  }

  private put(card: Card): boolean {
    const before = this.cards.get(card.id);
    if (before && before.version > card.version) return false;
    if (before && JSON.stringify(before) === JSON.stringify(card)) return false;
    this.gone.delete(card.id);
    this.cards.set(card.id, card);
    this.place(card, false);
    return true;
  }

  private place(card: Card, own: boolean): void {
    const status = this.columnOf(card);
    for (const other of STATUSES) if (other !== status) this.columns[other].take(card.id, own);
    this.columns[status].put(card.id, this.key(card), own);
  }

  private remove(id: number): boolean {
    const card = this.cards.get(id);
    if (!card) return false;
    this.cards.delete(id);
    this.wished.delete(id);
    if (STATUSES.some((status) => this.columns[status].holding)) this.gone.set(id, card);
    for (const status of STATUSES) this.columns[status].take(id);
    return true;
  }

  // ── a person's own moves ──

  /** Shows the card where the person put it, until the owner answered. */
  wish(id: number, status: TaskStatus): void {
    const card = this.cards.get(id);
    if (!card) return;
    this.wished.set(id, status);
    this.place(card, true);
  }

  /** The owner refused: the card goes back. */
  unwish(id: number): void {
    if (!this.wished.delete(id)) return;
    const card = this.cards.get(id);
    if (card) this.place(card, true);
  }

  /** The owner agreed and answered with the task; the feed will say the same. */
  settle(fields: TaskFields, person: string, now: number): void {
    const id = Number(fields.id);
    const card = this.cards.get(id);
    this.wished.delete(id);
    if (!card) return;
    if (card.version < fields.version) {
      const by = { kind: 'person' as const, name: person };
      const blockedBy = fields.blockedBy.map(Number);
      const heldBy = fields.heldBy === undefined ? null : { ...(card.heldBy?.name === fields.heldBy ? card.heldBy : by), name: fields.heldBy };
      const { version, status, subject } = fields;
      this.cards.set(id, { ...card, version, status, subject, blockedBy, heldBy, changedAt: new Date(now).toISOString(), changedBy: by });
    }
    this.place(this.cards.get(id) ?? card, true);
  }

  drop(id: number): void {
    const card = this.cards.get(id);
    if (!card) return;
    this.cards.delete(id);
    for (const status of STATUSES) this.columns[status].take(id, true);
  }

  // ── held columns ──

  hold(status: TaskStatus): void {
    if (!this.columns[status].holding) this.columns[status].hold();
  }

  release(status: TaskStatus): void {
    this.columns[status].release();
    if (!STATUSES.some((other) => this.columns[other].holding)) this.gone.clear();
  }

  /** What a row of a column shows: a card, or the trace of one that is not there any more. */
  row(status: TaskStatus, id: number): { card: Card; ghost: 'moved' | 'deleted' | null } | null {
    const card = this.cards.get(id);
    if (card) return { card, ghost: this.columns[status].has(id) ? null : 'moved' };
    const gone = this.gone.get(id);
    return gone ? { card: gone, ghost: 'deleted' } : null;
  }
}
