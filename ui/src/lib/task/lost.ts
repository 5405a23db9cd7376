// What a person is told when a change lost the race: who was faster, with what, and when.
import type { Card, Refusal, TaskFields, TaskStatus } from '../client/types.gen';

export interface LostMove {
  id: number;
  /** What the person wanted. */
  wanted: TaskStatus;
  who: string;
  at: string;
  version: number;
  /** What the other made of it; `null` when the status is as the person saw it. */
  now: TaskStatus | null;
  gone: boolean;
}

/** `seen`: the card as the person saw it. `card`: the card as the board has it now, which may lag. */
export function lostMove(refusal: Refusal, wanted: TaskStatus, seen: Card, card: Card | undefined, now: number): LostMove | null {
  const current: TaskFields | null | undefined = refusal.current;
  if (refusal.code === 'NOT_FOUND') {
    return { id: seen.id, wanted, who: card?.changedBy.name ?? '', at: new Date(now).toISOString(), version: seen.version, now: null, gone: true };
  }
  if (refusal.code !== 'STALE' || !current) return null;
  const known = card !== undefined && card.version >= current.version;
  return {
    id: seen.id, wanted, version: current.version, gone: false,
    // The board may not have heard yet; the holder is the best guess until it has.
    who: known ? card.changedBy.name : (current.heldBy ?? ''),
    at: known ? card.changedAt : new Date(now).toISOString(),
    now: current.status === seen.status ? null : current.status,
  };
}

/** Fills in what was not known when the refusal came. */
export function informed(lost: LostMove, card: Card | undefined): LostMove {
  if (!card || card.version < lost.version || (lost.who === card.changedBy.name && lost.at === card.changedAt)) return lost;
  return { ...lost, who: card.changedBy.name, at: card.changedAt, version: card.version };
}
