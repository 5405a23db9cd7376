// What the keys of the run inspector and of the refused calls act on, while one of them is open.
import type { Chain } from '../client/types.gen';

export interface RunKeys {
  zoom(factor: number): void;
  pan(part: number): void;
  fit(): void;
  step(by: 1 | -1): void;
  inLane(by: 1 | -1): void;
  match(by: 1 | -1): void;
  refusal(by: 1 | -1): void;
  end(last: boolean): void;
  detail(): void;
  goto(): void;
  edge(which: 'from' | 'to'): void;
}

export const runKeys: { now: RunKeys | null } = { now: null };
export const rejectedKeys: { panel: { step(by: 1 | -1): void; current(): Chain | undefined; cycle(): void } | null } = { panel: null };
