// Where a person is on the board: the card with the focus, what is selected, the open menu.
import { tick } from 'svelte';
import type { TaskStatus } from '../client/types.gen';
import { session } from '../live/session.svelte';
import { t } from '../shared/i18n/i18n.svelte';
import { notices } from '../shared/notices.svelte';
import { place } from '../shared/route.svelte';
import { changes } from '../task/changes.svelte';
import { STATUSES } from './model';

const RELEASE_MS = 600;

export interface MoveMenu {
  ids: number[];
  anchor: DOMRect;
}

class BoardUi {
  cursor = $state<number | null>(null);
  selected = $state.raw<ReadonlySet<number>>(new Set());
  menu = $state.raw<MoveMenu | null>(null);
  /** The card that has the focus when none was chosen yet. */
  readonly reveal: Partial<Record<TaskStatus, (id: number) => void>> = {};
  private readonly leaving: Partial<Record<TaskStatus, ReturnType<typeof setTimeout>>> = {};
  private readonly inside: Record<TaskStatus, Set<'pointer' | 'focus'>> = {
    pending: new Set(), in_progress: new Set(), blocked: new Set(), done: new Set(),
  };

  // ── held columns ──

  enter(status: TaskStatus, how: 'pointer' | 'focus'): void {
    this.inside[status].add(how);
    clearTimeout(this.leaving[status]);
    session.board.hold(status);
  }

  leave(status: TaskStatus, how: 'pointer' | 'focus'): void {
    this.inside[status].delete(how);
    if (this.inside[status].size > 0) return;
    clearTimeout(this.leaving[status]);
    this.leaving[status] = setTimeout(() => {
      if (this.inside[status].size > 0) return;
      if (this.menu) return this.leave(status, how);
      session.board.release(status);
      session.tick += 1;
    }, RELEASE_MS);
  }

  /** The window lost the focus: nobody reads by it any more. */
  leaveFocus(): void {
    for (const status of STATUSES) if (this.inside[status].has('focus')) this.leave(status, 'focus');
  }

  /** Applies what waits, now; whoever is still in the column holds it again. */
  apply(): void {
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['card'] : undefined;
    for (const status of STATUSES) {
      session.board.release(status);
      if (this.inside[status].size > 0) session.board.hold(status);
    }
    session.tick += 1;
    if (focused !== undefined) void this.focus(Number(focused));
  }

  get held(): number {
    return STATUSES.reduce((sum, status) => sum + session.board.columns[status].heldMoves, 0);
  }

  // ── the card with the focus ──

  async focus(id: number): Promise<void> {
    const card = session.board.cards.get(id);
    if (!card) return;
    this.cursor = id;
    this.reveal[session.board.columnOf(card)]?.(id);
    await tick();
    document.querySelector<HTMLElement>(`a[data-card="${id}"]`)?.focus();
  }

  private at(): { column: number; row: number } | null {
    if (this.cursor === null) return null;
    for (const [column, status] of STATUSES.entries()) {
      const row = session.board.columns[status].shown.indexOf(this.cursor);
      if (row >= 0 && session.board.columns[status].has(this.cursor)) return { column, row };
    }
    return null;
  }

  /** The card that a step leads to. */
  private beside(dx: number, dy: number): number | null {
    const at = this.at();
    const columns = STATUSES.map((status) => session.board.columns[status].shown.filter((id) => session.board.columns[status].has(id)));
    if (!at) return columns.find((ids) => ids.length > 0)?.[0] ?? null;
    if (dx === 0) return columns[at.column]?.[at.row + dy] ?? null;
    for (let column = at.column + dx; column >= 0 && column < columns.length; column += dx) {
      const ids = columns[column] ?? [];
      if (ids.length > 0) return ids[Math.min(at.row, ids.length - 1)] ?? null;
    }
    return null;
  }

  step(dx: number, dy: number): void {
    const id = this.beside(dx, dy);
    if (id !== null) void this.focus(id);
  }

  ends(last: boolean): void {
    const at = this.at();
    const status = STATUSES[at?.column ?? 0];
    const id = status && session.board.columns[status].ids.at(last ? -1 : 0);
    if (id !== undefined) void this.focus(id);
  }

  // ── selection ──

  toggle(id: number | null): void {
    if (id === null) return;
    const next = new Set(this.selected);
    if (!next.delete(id)) next.add(id);
    this.selected = next;
    this.saySelected();
  }

  extend(dy: number): void {
    const next = new Set(this.selected);
    if (this.cursor !== null) next.add(this.cursor);
    const id = this.beside(0, dy);
    if (id !== null) {
      next.add(id);
      void this.focus(id);
    }
    this.selected = next;
    this.saySelected();
  }

  all(): void {
    this.selected = new Set(session.board.cards.keys());
    this.saySelected();
  }

  clear(): void {
    this.selected = new Set();
  }

  private saySelected(): void {
    notices.say(t('selected_n', { n: this.selected.size }));
  }

  /** What an action is about: the selection, else the card with the focus. */
  targets(id = this.cursor): number[] {
    const selected = [...this.selected].filter((one) => session.board.cards.has(one));
    if (selected.length > 0 && (id === null || this.selected.has(id))) return selected;
    return id !== null && session.board.cards.has(id) ? [id] : [];
  }

  // ── actions ──

  openMenu(id = this.cursor, anchor?: DOMRect): void {
    const ids = this.targets(id);
    const element = document.querySelector(`[data-card="${ids.length === 1 ? ids[0] : id}"]`);
    const at = anchor ?? element?.getBoundingClientRect();
    if (ids.length > 0 && at) this.menu = { ids, anchor: at };
  }

  async move(ids: number[], to: TaskStatus): Promise<void> {
    if (session.readOnly !== null) return notices.say(session.readOnly);
    const done = changes.move(ids, to);
    if (ids.length > 1) this.clear();
    const [only] = ids;
    if (ids.length === 1 && only !== undefined && this.cursor === only) await this.focus(only);
    await done;
  }

  moveBy(dx: number): void {
    const ids = this.targets();
    const first = ids[0] === undefined ? undefined : session.board.cards.get(ids[0]);
    if (!first) return;
    const to = STATUSES[STATUSES.indexOf(session.board.columnOf(first)) + dx];
    if (to) void this.move(ids, to);
  }

  open(id = this.cursor): void {
    if (id === null) return;
    this.cursor = id;
    place.openTask(id);
  }
}

export const ui = new BoardUi();
