// Two runs side by side: what is the same, and what differs.
import type { RunDetail } from '../client/types.gen';

export interface Pair {
  name: string;
  a: string | null;
  b: string | null;
  differs: boolean;
}

const pair = (name: string, a: string | null, b: string | null): Pair => ({ name, a, b, differs: a !== b });

/** Every name of either side, in the order of the first. */
function joined<T>(a: T[], b: T[], name: (one: T) => string, value: (one: T) => string): Pair[] {
  const [left, right] = [a, b].map((side) => new Map(side.map((one) => [name(one), value(one)])));
  const names = [...new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])];
  return names.map((one) => pair(one, left?.get(one) ?? null, right?.get(one) ?? null));
}

export const tasksOf = (a: RunDetail, b: RunDetail): Pair[] =>
  joined(a.tasks, b.tasks, (task) => `#${task.id} ${task.subject}`, (task) => `v${task.lastVersion} · ${task.changes}${task.refused > 0 ? ` · ✕${task.refused}` : ''}`);
export const toolsOf = (a: RunDetail, b: RunDetail): Pair[] =>
  joined(a.tools, b.tools, ({ tool }) => tool, ({ calls, refused, failed }) => `${calls}${refused + failed > 0 ? ` (✕${refused + failed})` : ''}`);
export const codesOf = (a: RunDetail, b: RunDetail): Pair[] => joined(a.codes, b.codes, ({ code }) => code, ({ calls, repaired }) => `${calls} · ✓${repaired}`);
export { pair };
