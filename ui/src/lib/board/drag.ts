// A drag as a small machine: pressed → dragging → dropped or given up. No document in it.
export const THRESHOLD_PX = 4;
const EDGE_PX = 48;
const SPEED_MAX = 18;

export interface Point {
  x: number;
  y: number;
}
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export type Drag<T> =
  | { state: 'idle' }
  | { state: 'pressed'; item: T; from: Point }
  | { state: 'dragging'; item: T; from: Point; at: Point };

export const idle = { state: 'idle' } as const;

export function press<T>(item: T, from: Point): Drag<T> {
  return { state: 'pressed', item, from };
}

export function moveTo<T>(drag: Drag<T>, at: Point): Drag<T> {
  if (drag.state === 'idle') return drag;
  const far = Math.hypot(at.x - drag.from.x, at.y - drag.from.y) >= THRESHOLD_PX;
  return drag.state === 'dragging' || far ? { state: 'dragging', item: drag.item, from: drag.from, at } : drag;
}

export function target<T>(boxes: readonly (Box & { value: T })[], at: Point): T | null {
  const inside = boxes.find((box) => at.x >= box.left && at.x < box.right && at.y >= box.top && at.y < box.bottom);
  return inside?.value ?? null;
}

/** Pixels to scroll in one frame: faster towards the edge, none away from it. */
export function edgeSpeed(at: number, low: number, high: number): number {
  const within = (distance: number) => Math.min(1, (EDGE_PX - Math.max(0, distance)) / EDGE_PX);
  if (at < low + EDGE_PX) return -Math.ceil(within(at - low) * SPEED_MAX);
  if (at > high - EDGE_PX) return Math.ceil(within(high - at) * SPEED_MAX);
  return 0;
}
