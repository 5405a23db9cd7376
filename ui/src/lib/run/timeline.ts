// The columns of a timeline: what the owner sends as bytes, and what is drawn from them. Knows
// nothing of the framework.
export const LANES = ['run', 'model', 'tools', 'board', 'plan', 'files', 'other'] as const;
export const STATES = ['plain', 'ok', 'asked', 'rogue', 'failed', 'rejected'] as const;
export const REJECTED = STATES.indexOf('rejected');
const HEADER = 32;

export interface Part {
  /** The seq of the first row; of a board the rows have keys instead. */
  first: number;
  position: number;
  at: Float64Array;
  dur: Float32Array;
  kind: Uint8Array;
  lane: Uint8Array;
  state: Uint8Array;
  key: Float64Array | null;
}

export function decode(buffer: ArrayBuffer): Part {
  const view = new DataView(buffer);
  const magic = buffer.byteLength >= HEADER ? String.fromCharCode(...new Uint8Array(buffer, 0, 4)) : '';
  if (magic !== 'TBI1') throw new Error(`the timeline cannot be read: it begins with "${magic}"`);
  const n = view.getUint32(4, true);
  const bytes = (from: number) => new Uint8Array(buffer, HEADER + from * n, n);
  return {
    first: view.getFloat64(8, true),
    position: view.getFloat64(16, true),
    at: new Float64Array(buffer, HEADER, n),
    dur: new Float32Array(buffer, HEADER + 8 * n, n),
    kind: bytes(12), lane: bytes(13), state: bytes(14),
    key: (view.getUint32(24, true) & 1) === 1 ? new Float64Array(buffer, HEADER + 16 * n, n) : null,
  };
}

/** A timeline that grows at its end. */
export class Timeline {
  at: Float64Array = new Float64Array(0);
  dur: Float32Array = new Float32Array(0);
  kind: Uint8Array = new Uint8Array(0);
  lane: Uint8Array = new Uint8Array(0);
  state: Uint8Array = new Uint8Array(0);
  key: Float64Array | null = null;
  length = 0;

  /** Takes the first part as it is; a later one is put behind it, from the next seq on. */
  add(part: Part): void {
    if (this.length === 0) {
      ({ at: this.at, dur: this.dur, kind: this.kind, lane: this.lane, state: this.state, key: this.key } = part);
      this.length = part.at.length;
      return;
    }
    const skip = this.length + 1 - part.first;
    const n = part.at.length - skip;
    if (skip < 0 || n <= 0) return;
    this.reserve(this.length + n);
    for (const name of ['at', 'dur', 'kind', 'lane', 'state'] as const) this[name].set(part[name].subarray(skip), this.length);
    this.length += n;
  }

  private reserve(wanted: number): void {
    if (this.at.length >= wanted) return;
    const room = Math.max(wanted, Math.ceil(this.at.length * 1.5), 1024);
    const grown = <T extends Float64Array | Float32Array | Uint8Array>(old: T, made: T): T => {
      made.set(old.subarray(0, this.length) as never);
      return made;
    };
    this.at = grown(this.at, new Float64Array(room));
    this.dur = grown(this.dur, new Float32Array(room));
    this.kind = grown(this.kind, new Uint8Array(room));
    this.lane = grown(this.lane, new Uint8Array(room));
    this.state = grown(this.state, new Uint8Array(room));
  }

  /** The seq, or the position, of a row. */
  keyOf(row: number): number {
    return this.key ? (this.key[row] ?? 0) : row + 1;
  }

  /** The last row at or before a seq or position; -1: none. */
  rowOf(key: number): number {
    if (!this.key) return Math.min(key, this.length) - 1;
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.key[middle] ?? 0) <= key) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** A gap longer than this is drawn as if it were this long. */
export const IDLE_MS = 60_000;

/** Time on the screen: with long pauses shortened, so that the work between them can be seen. */
export class Scale {
  /** Where each row stands, in milliseconds without the pauses. */
  readonly x: Float64Array;
  /** Where a pause was shortened: row and how long it was. */
  readonly gaps: { row: number; ms: number }[] = [];
  readonly length: number;

  constructor(timeline: Timeline) {
    this.length = timeline.length;
    this.x = new Float64Array(timeline.length);
    let x = 0;
    for (let row = 1; row < timeline.length; row += 1) {
      const ms = Math.max(0, (timeline.at[row] ?? 0) - (timeline.at[row - 1] ?? 0));
      const work = Math.min(ms, timeline.dur[row] ?? 0);
      const idle = ms - work;
      if (idle > IDLE_MS && this.gaps.length < 5_000) this.gaps.push({ row, ms: idle });
      x += work + Math.min(idle, IDLE_MS);
      this.x[row] = x;
    }
  }

  get end(): number {
    return Math.max(this.x[this.length - 1] ?? 0, 1);
  }

  /** The first row at or after `x`. */
  rowAt(x: number): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.x[middle] ?? 0) < x) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export interface Window {
  from: number;
  to: number;
}

/** Keeps a window within the scale and not smaller than `least`. */
export function clamp({ from, to }: Window, end: number, least = 50): Window {
  const width = Math.min(Math.max(to - from, least), end);
  const start = Math.min(Math.max(from, 0), end - width);
  return { from: start, to: start + width };
}

export function zoom(window: Window, end: number, factor: number, around = 0.5): Window {
  const width = window.to - window.from;
  const middle = window.from + width * around;
  return clamp({ from: middle - width * factor * around, to: middle + width * factor * (1 - around) }, end);
}

export function pan(window: Window, end: number, part: number): Window {
  const by = (window.to - window.from) * part;
  return clamp({ from: window.from + by, to: window.to + by }, end);
}

/** How many events and which state, for each pixel of each lane; the worst state wins. */
export interface Bins {
  width: number;
  count: Uint32Array;
  state: Uint8Array;
}

export function bin(timeline: Timeline, scale: Scale, window: Window, width: number, hidden: Uint8Array | null): Bins {
  const count = new Uint32Array(LANES.length * width);
  const state = new Uint8Array(LANES.length * width);
  const per = width / Math.max(window.to - window.from, 1e-9);
  const end = Math.min(scale.length, timeline.length);
  for (let row = scale.rowAt(window.from); row < end; row += 1) {
    const x = scale.x[row] ?? 0;
    if (x > window.to) break;
    if (hidden && hidden[row] === 1) continue;
    const pixel = Math.min(width - 1, ((x - window.from) * per) | 0);
    const cell = (timeline.lane[row] ?? 0) * width + pixel;
    count[cell] = (count[cell] ?? 0) + 1;
    const found = timeline.state[row] ?? 0;
    if (found > (state[cell] ?? 0)) state[cell] = found;
  }
  return { width, count, state };
}

/** The refused call nearest to `x`, within `within`; -1: none. */
export function nearestRefusal(timeline: Timeline, scale: Scale, x: number, within: number): number {
  let best = -1;
  let distance = within;
  for (let row = scale.rowAt(x - within); row < timeline.length && (scale.x[row] ?? 0) <= x + within; row += 1) {
    const away = Math.abs((scale.x[row] ?? 0) - x);
    if (timeline.state[row] === REJECTED && away <= distance) [best, distance] = [row, away];
  }
  return best;
}

/** The next row after (or before) `row` for which `fits`; -1: none. */
export function next(timeline: Timeline, row: number, step: 1 | -1, fits: (row: number) => boolean): number {
  for (let at = row + step; at >= 0 && at < timeline.length; at += step) if (fits(at)) return at;
  return -1;
}
