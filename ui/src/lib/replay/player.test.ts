import { describe, expect, it } from 'vitest';
import { REJECTED, Timeline } from '../run/timeline';
import { marks, partOf, refusal, stepped, waitMs } from './player';

function made(rows: { at: number; state?: number }[], keys: number[] | null = null): Timeline {
  const timeline = new Timeline();
  const bytes = () => new Uint8Array(rows.length);
  timeline.add({ first: 1, position: 0, at: Float64Array.from(rows, ({ at }) => at), dur: new Float32Array(rows.length), kind: bytes(), lane: bytes(), state: Uint8Array.from(rows, ({ state }) => state ?? 0), key: keys && Float64Array.from(keys) });
  return timeline;
}

describe('a replay', () => {
  const run = made([{ at: 0 }, { at: 100, state: REJECTED }, { at: 9_100 }, { at: 9_200, state: REJECTED }]);
  it('steps within its ends', () => expect([stepped(run, 1, -1), stepped(run, 2, 1), stepped(run, 4, 10)]).toEqual([1, 3, 4]));
  it('goes from refusal to refusal, and stays where there is none', () => expect([refusal(run, 1, 1), refusal(run, 2, 1), refusal(run, 4, 1), refusal(run, 4, -1)]).toEqual([2, 4, 4, 2]));
  it('waits as long as the run did, at its speed, without the pauses if wanted', () => {
    expect([waitMs(run, 1, 1, false), waitMs(run, 2, 4, false), waitMs(run, 2, 4, true), waitMs(run, 4, 1, true)]).toEqual([100, 2_250, 500, null]);
  });
  it('goes to a part of the way', () => expect([partOf(run, 0), partOf(run, 1), partOf(run, 0.5)]).toEqual([1, 4, 3]));
  it('of a board goes by positions', () => {
    const board = made([{ at: 0 }, { at: 1 }, { at: 2 }], [5, 9, 30]);
    expect([stepped(board, 9, 1), stepped(board, 10, -1), partOf(board, 1)]).toEqual([30, 5, 30]);
  });
  it('marks every refusal, near ones together', () => {
    const long = made(Array.from({ length: 1_001 }, (_, i) => ({ at: i, state: i < 3 || i === 1_000 ? REJECTED : 0 })));
    expect(marks(long, 100)).toEqual([0, 100]);
  });
});
