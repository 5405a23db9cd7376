import { describe, expect, it } from 'vitest';
import type { Board, Card, TaskStatus } from '../client/types.gen';
import { BoardModel } from './model';

const by = { kind: 'agent' as const, name: 'codex' };
const card = (id: number, status: TaskStatus, version = 1, more: Partial<Card> = {}): Card => ({
  id, version, status, subject: `task ${id}`, blockedBy: [], heldBy: null, rejected: 0, outcome: null,
  changedAt: new Date(1_000_000 + id * 1000 + version).toISOString(), changedBy: by, ...more,
});
const answer = (tasks: Card[], more: Partial<Board> = {}): Board => ({ project: null, projects: [], position: 1, full: true, tasks, removed: [], strip: [], ...more });
const delta = (tasks: Card[], removed: number[] = []) => answer(tasks, { full: false, removed, position: 2 });

function loaded(...cards: Card[]): BoardModel {
  const model = new BoardModel();
  model.merge(answer(cards));
  return model;
}

describe('the board in memory', () => {
  it('takes the whole, then only what changed', () => {
    const model = loaded(card(1, 'pending'), card(2, 'pending'), card(3, 'done'));
    expect(model.merge(delta([card(2, 'blocked', 2)], [1]))).toEqual([2, 1]);
    expect(model.columns.pending.ids).toEqual([]);
    expect(model.columns.blocked.ids).toEqual([2]);
    expect(model.cards.has(1)).toBe(false);
  });

  it('does not take an older version, nor say that the same changed', () => {
    const model = loaded(card(1, 'done', 5));
    expect(model.merge(delta([card(1, 'pending', 4), card(1, 'done', 5)]))).toEqual([]);
    expect(model.columns.done.ids).toEqual([1]);
  });

  it('takes a new count of refused calls at the same version', () => {
    const model = loaded(card(1, 'pending'));
    expect(model.merge(delta([card(1, 'pending', 1, { rejected: 1 })]))).toEqual([1]);
    expect(model.cards.get(1)?.rejected).toBe(1);
  });

  it('shows what is done with the latest first', () => {
    const model = loaded(card(1, 'done'), card(2, 'done'), card(3, 'done'));
    expect(model.columns.done.ids).toEqual([3, 2, 1]);
  });

  it('a wished move shows at once and goes back when it is refused', () => {
    const model = loaded(card(1, 'pending'), card(2, 'pending'));
    model.wish(1, 'done');
    expect(model.columns.done.ids).toEqual([1]);
    model.unwish(1);
    expect(model.columns.pending.ids).toEqual([1, 2]);
  });

  it('a wished move is not undone by news of the version it was based on', () => {
    const model = loaded(card(1, 'pending'));
    model.wish(1, 'done');
    model.merge(delta([card(1, 'pending', 1, { rejected: 3 })]));
    expect(model.columns.done.ids).toEqual([1]);
    model.settle({ id: '1', version: 2, status: 'done', subject: 'task 1', blockedBy: [] }, 'Ada', 9);
    expect(model.cards.get(1)).toMatchObject({ status: 'done', version: 2, changedBy: { kind: 'person', name: 'Ada' } });
  });

  it('a card that was deleted leaves a trace in a held column, and none in another', () => {
    const model = loaded(card(1, 'pending'), card(2, 'pending'));
    model.hold('pending');
    model.merge(delta([], [1]));
    expect(model.columns.pending.shown).toEqual([1, 2]);
    expect(model.row('pending', 1)?.ghost).toBe('deleted');
    model.release('pending');
    expect(model.row('pending', 1)).toBeNull();
  });

  it('a card that moved leaves a trace that knows where to', () => {
    const model = loaded(card(1, 'pending'), card(2, 'pending'));
    model.hold('pending');
    model.merge(delta([card(1, 'done', 2)]));
    expect(model.row('pending', 1)).toMatchObject({ ghost: 'moved', card: { status: 'done' } });
    expect(model.row('done', 1)).toMatchObject({ ghost: null });
  });

  it('merges a change among 10,000 cards in well under a frame', () => {
    const model = loaded(...Array.from({ length: 10_000 }, (_, index) => card(index + 1, index % 2 ? 'pending' : 'done')));
    const start = performance.now();
    for (let version = 2; version < 102; version += 1) model.merge(delta([card(5000, version % 2 ? 'pending' : 'done', version)]));
    expect((performance.now() - start) / 100).toBeLessThan(4);
  });
});
