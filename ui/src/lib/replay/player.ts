// Where a replay goes next. Knows the timeline and the clock it is given; has no timer of its own.
import { REJECTED, type Timeline } from '../run/timeline';

export const SPEEDS = [1, 2, 4, 8, 16, 64] as const;
/** A pause longer than this is skipped, when the person wants that. */
export const IDLE_SKIP_MS = 2_000;

/** The key `by` events further, within the ends. */
export function stepped(timeline: Timeline, at: number, by: number): number {
  const row = Math.min(Math.max(timeline.rowOf(at) + by, 0), timeline.length - 1);
  return timeline.keyOf(row);
}

/** The next refused call; where there is none, it stays. */
export function refusal(timeline: Timeline, at: number, step: 1 | -1): number {
  for (let row = timeline.rowOf(at) + step; row >= 0 && row < timeline.length; row += step) {
    if (timeline.state[row] === REJECTED) return timeline.keyOf(row);
  }
  return at;
}

/** `part` of the way through, 0 to 1. */
export function partOf(timeline: Timeline, part: number): number {
  return timeline.keyOf(Math.round(part * (timeline.length - 1)));
}

/** How long the event after `at` lets wait, at a speed; `null`: there is none. */
export function waitMs(timeline: Timeline, at: number, speed: number, skipIdle: boolean): number | null {
  const row = timeline.rowOf(at);
  if (row + 1 >= timeline.length) return null;
  const ms = Math.max(0, (timeline.at[row + 1] ?? 0) - (timeline.at[row] ?? 0));
  return Math.min(skipIdle ? Math.min(ms, IDLE_SKIP_MS) : ms, 3_600_000) / speed;
}

/** Where refused calls stand on a line of `width` pixels; near ones share a mark, none is lost. */
export function marks(timeline: Timeline, width: number): number[] {
  const pixels = new Set<number>();
  for (let row = 0; row < timeline.length; row += 1) {
    if (timeline.state[row] === REJECTED) pixels.add(Math.round((row / Math.max(1, timeline.length - 1)) * width));
  }
  return [...pixels];
}
