// The list of runs: narrowed, and sub-runs below the run that started them.
import type { RunRow } from '../client/types.gen';

export interface RunFilter {
  text: string;
  actor: string;
  status: string;
}

export function arranged(runs: RunRow[], filter: RunFilter): { run: RunRow; depth: number }[] {
  const text = filter.text.trim().toLowerCase();
  const fits = (run: RunRow) =>
    (filter.actor === '' || run.actor === filter.actor) &&
    (filter.status === '' || run.status === filter.status) &&
    (text === '' || `${run.agent} ${run.title ?? ''} ${run.id}`.toLowerCase().includes(text));
  const left = runs.filter(fits);
  const there = new Set(left.map(({ id }) => id));
  const children = new Map<string, RunRow[]>();
  for (const run of left) if (run.parent !== null && there.has(run.parent)) children.set(run.parent, [...(children.get(run.parent) ?? []), run]);
  const out: { run: RunRow; depth: number }[] = [];
  const put = (run: RunRow, depth: number) => {
    out.push({ run, depth });
    // A circle of parents, which no run of ours can make, would not end.
    if (depth < 8) for (const child of children.get(run.id) ?? []) put(child, depth + 1);
  };
  for (const run of left) if (run.parent === null || !there.has(run.parent)) put(run, 0);
  return out;
}
