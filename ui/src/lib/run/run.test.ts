import { describe, expect, it } from 'vitest';
import { hiddenRows, parseQuery, shownRows } from './find';
import { ROWS_MAX, ScrollSpace } from './scroll';
import { bin, clamp, decode, LANES, nearestRefusal, next, pan, REJECTED, Scale, Timeline, zoom } from './timeline';

interface Row { at: number; dur?: number; kind?: number; lane?: number; state?: number }

function encode(rows: Row[], first = 1, keys: number[] | null = null): ArrayBuffer {
  const n = rows.length;
  const buffer = new ArrayBuffer(32 + n * (keys ? 24 : 16));
  const view = new DataView(buffer);
  new Uint8Array(buffer).set([84, 66, 73, 49]);
  view.setUint32(4, n, true);
  view.setFloat64(8, first, true);
  view.setFloat64(16, 99, true);
  view.setUint32(24, keys ? 1 : 0, true);
  rows.forEach((row, i) => {
    view.setFloat64(32 + i * 8, row.at, true);
    view.setFloat32(32 + n * 8 + i * 4, row.dur ?? 0, true);
    view.setUint8(32 + n * 12 + i, row.kind ?? 0);
    view.setUint8(32 + n * 13 + i, row.lane ?? 0);
    view.setUint8(32 + n * 14 + i, row.state ?? 0);
    if (keys) view.setFloat64(32 + n * 16 + i * 8, keys[i] ?? 0, true);
  });
  return buffer;
}
const made = (rows: Row[]) => {
  const timeline = new Timeline();
  timeline.add(decode(encode(rows)));
  return timeline;
};

describe('a timeline', () => {
  it('is read from its bytes and grows at its end, each row once', () => {
    const timeline = made([{ at: 1 }, { at: 2, state: 5 }]);
    timeline.add(decode(encode([{ at: 2 }, { at: 3, lane: 3, dur: 7 }], 2)));
    timeline.add(decode(encode([{ at: 3 }], 3)));
    expect([timeline.length, timeline.at[2], timeline.lane[2], timeline.dur[2], timeline.state[1]]).toEqual([3, 3, 3, 7, 5]);
    timeline.add(decode(encode([{ at: 9 }], 9)));
    expect(timeline.length).toBe(3);
  });
  it('says what is wrong with other bytes', () => expect(() => decode(new ArrayBuffer(40))).toThrow(/cannot be read/));
  it('finds a row by its key', () => {
    const timeline = new Timeline();
    timeline.add(decode(encode([{ at: 1 }, { at: 2 }, { at: 3 }], 4, [4, 9, 12])));
    expect([3, 4, 8, 9, 99].map((key) => timeline.rowOf(key))).toEqual([-1, 0, 0, 1, 2]);
    expect(timeline.keyOf(1)).toBe(9);
    expect(made([{ at: 1 }, { at: 2 }]).rowOf(7)).toBe(1);
  });
});

describe('time on the screen', () => {
  it('has its long pauses shortened, but not the work that took long', () => {
    const scale = new Scale(made([{ at: 0 }, { at: 1_000 }, { at: 3_601_000 }, { at: 3_901_000, dur: 300_000 }]));
    expect([...scale.x]).toEqual([0, 1_000, 61_000, 361_000]);
    expect(scale.gaps).toEqual([{ row: 2, ms: 3_600_000 }]);
  });
  it('never leaves its ends', () => {
    expect(clamp({ from: -5, to: 20 }, 100)).toEqual({ from: 0, to: 50 });
    expect(pan({ from: 0, to: 100 }, 400, 9)).toEqual({ from: 300, to: 400 });
    expect(zoom({ from: 0, to: 400 }, 400, 0.5, 0)).toEqual({ from: 0, to: 200 });
    expect(zoom({ from: 100, to: 200 }, 400, 99)).toEqual({ from: 0, to: 400 });
  });
});

describe('a million events in a few pixels', () => {
  const timeline = made(Array.from({ length: 1_000_000 }, (_, i) => ({ at: i, lane: i % 3, state: i === 765_432 ? REJECTED : 1 })));
  const scale = new Scale(timeline);
  it('never lose the one refused call', () => {
    const bins = bin(timeline, scale, { from: 0, to: scale.end }, 1000, null);
    const worst = Array.from({ length: LANES.length }, (_, lane) => bins.state.slice(lane * 1000, lane * 1000 + 1000).indexOf(REJECTED));
    expect(worst).toEqual([765, -1, -1, -1, -1, -1, -1]);
    expect(bins.count.reduce((sum, n) => sum + n, 0)).toBe(1_000_000);
    expect(nearestRefusal(timeline, scale, 765_000, 6_000)).toBe(765_432);
    expect(nearestRefusal(timeline, scale, 1_000, 600)).toBe(-1);
  });
  it('leave out what a filter hides', () => {
    const hidden = hiddenRows(timeline, parseQuery('lane:model'), null);
    expect(shownRows(hidden, timeline.length)?.length).toBe(333_333);
    expect(bin(timeline, scale, { from: 0, to: scale.end }, 10, hidden).count.slice(0, 10).every((n) => n === 0)).toBe(true);
  });
  it('lead from one refusal to the next', () => {
    const refused = (row: number) => timeline.state[row] === REJECTED;
    expect(next(timeline, 0, 1, refused)).toBe(765_432);
    expect(next(timeline, 765_432, 1, refused)).toBe(-1);
    expect(next(timeline, 999_999, -1, refused)).toBe(765_432);
  });
});

describe('what is typed to narrow a run', () => {
  it('is told apart: fields, words, and what is unknown', () => {
    const query = parseQuery('kind:tool_ state:rejected  flaky test');
    expect([query.kinds?.size, query.states?.size, query.lanes, query.text, query.unknown]).toEqual([3, 1, null, 'flaky test', null]);
    expect(parseQuery('kind:painted').unknown).toBe('kind:painted');
    expect(parseQuery('https://x').text).toBe('https://x');
  });
  it('keeps the rows whose text was found', () => {
    const hidden = hiddenRows(made([{ at: 1 }, { at: 2 }, { at: 3 }]), parseQuery('x'), new Uint32Array([2]));
    expect([...(shownRows(hidden, 3) ?? [])]).toEqual([1]);
  });
});

describe('a list of a million rows', () => {
  const space = new ScrollSpace(1_000_000, 24, 700);
  it('reaches its first and its last row', () => {
    expect(space.visible(0)).toMatchObject({ first: 0, shift: 0 });
    const last = space.visible(space.space - space.height);
    expect(last.end).toBe(1_000_000);
    expect(last.end - last.first).toBeLessThanOrEqual(ROWS_MAX);
    expect(space.space).toBeLessThan(33_554_428);
    expect(space.visible(2 ** 31).end).toBe(1_000_000);
  });
  it.each([0, 1, 499_999, 999_998, 999_999])('brings row %d into sight', (row) => {
    const top = space.reveal(row, 4_000_000) ?? 4_000_000;
    const { first, end } = space.visible(top);
    expect(first <= row && row < end).toBe(true);
  });
});
