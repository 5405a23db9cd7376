import { describe, expect, it } from 'vitest';
import { Column } from './column';

function column(...ids: number[]): Column {
  const made = new Column();
  made.reset(ids.map((id) => [id, id]));
  return made;
}

describe('a column', () => {
  it('keeps its order whatever comes and goes', () => {
    const made = column(5, 1, 9);
    made.put(3, 3);
    made.take(5);
    expect(made.ids).toEqual([1, 3, 9]);
    made.put(1, 100);
    expect(made.ids).toEqual([3, 9, 1]);
  });

  it('equals a sort of the same entries after a thousand random steps', () => {
    const made = new Column();
    const keys = new Map<number, number>();
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    for (let step = 0; step < 1000; step += 1) {
      const id = random(60);
      if (random(3) === 0) {
        made.take(id);
        keys.delete(id);
      } else {
        const key = random(20);
        made.put(id, key);
        keys.set(id, key);
      }
    }
    const sorted = [...keys].sort(([a, x], [b, y]) => x - y || a - b).map(([id]) => id);
    expect(made.ids).toEqual(sorted);
  });

  it('held: nothing moves, what comes goes to the end, what leaves stays as a trace', () => {
    const made = column(1, 2, 3, 7);
    made.hold();
    made.take(2);
    made.put(5, 5);
    expect(made.shown).toEqual([1, 2, 3, 7, 5]);
    expect(made.ids).toEqual([1, 3, 5, 7]);
    expect(made.heldMoves).toBe(2);
    expect(made.has(2)).toBe(false);
    made.release();
    expect(made.shown).toEqual([1, 3, 5, 7]);
    expect(made.heldMoves).toBe(0);
  });

  it('held: what comes back, or leaves again, is no move any more', () => {
    const made = column(1, 2);
    made.hold();
    made.take(2);
    made.put(2, 2);
    made.put(9, 9);
    made.take(9);
    expect(made.heldMoves).toBe(0);
    expect(made.shown).toEqual([1, 2]);
  });

  it('held: a move of one’s own shows at once, in its place', () => {
    const made = column(1, 3, 5);
    made.hold();
    made.put(4, 4, true);
    made.take(1, true);
    expect(made.shown).toEqual([3, 4, 5]);
    expect(made.heldMoves).toBe(0);
  });

  it('held: a new key that changes no place is no move', () => {
    const made = column(1, 3, 5);
    made.hold();
    made.put(3, 4);
    expect(made.heldMoves).toBe(0);
    made.put(3, 9);
    expect(made.heldMoves).toBe(1);
    expect(made.shown).toEqual([1, 3, 5]);
  });
});
