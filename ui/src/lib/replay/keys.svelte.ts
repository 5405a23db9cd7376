// What the keys of a replay act on, while one is open.
export interface TransportKeys {
  toggle(): void;
  step(by: number): void;
  refusal(by: 1 | -1): void;
  part(part: number): void;
  faster(by: 1 | -1): void;
}
export const transport: { now: TransportKeys | null } = { now: null };
