// Refused calls in groups, and what they sum up to.
import type { Chain, Outcome } from '../client/types.gen';

export const GROUPS = ['code', 'tool', 'agent', 'task'] as const;
export type Group = (typeof GROUPS)[number];

export interface Grouped {
  name: string;
  chains: Chain[];
  counts: Record<Outcome, number>;
}

const nameOf = (chain: Chain, by: Group): string =>
  by === 'agent' ? chain.actor.name : by === 'task' ? (chain.task === null ? '–' : `#${chain.task} ${chain.subject ?? ''}`) : chain[by];

export function grouped(chains: Chain[], by: Group): Grouped[] {
  const groups = new Map<string, Grouped>();
  for (const chain of chains) {
    const name = nameOf(chain, by);
    const group = groups.get(name) ?? { name, chains: [], counts: { open: 0, repaired: 0, gave_up: 0, loop: 0, expected: 0 } };
    group.chains.push(chain);
    group.counts[chain.outcome] += 1;
    groups.set(name, group);
  }
  return [...groups.values()].sort((a, b) => b.chains.length - a.chains.length || a.name.localeCompare(b.name));
}

export interface Piece {
  text: string;
  marked: boolean;
}

/** JSON laid out, with the values at `paths` (as `patch.status`, `ids[2]`) marked. */
export function marked(json: string, paths: string[]): Piece[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return [{ text: json, marked: paths.includes('') }];
  }
  const pieces: Piece[] = [];
  const put = (text: string, mark: boolean) => {
    const last = pieces.at(-1);
    if (last?.marked === mark) last.text += text;
    else pieces.push({ text, marked: mark });
  };
  const write = (at: unknown, path: string, indent: string, inside: boolean): void => {
    const mark = inside || paths.includes(path);
    if (typeof at !== 'object' || at === null || Object.keys(at).length === 0) return put(JSON.stringify(at) ?? 'null', mark);
    const [open, close] = Array.isArray(at) ? ['[', ']'] : ['{', '}'];
    put(open, mark);
    Object.entries(at).forEach(([name, inner], index) => {
      const deeper = Array.isArray(at) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
      put(`${index > 0 ? ',' : ''}\n${indent}  `, mark);
      if (!Array.isArray(at)) put(`${JSON.stringify(name)}: `, mark || paths.includes(deeper));
      write(inner, deeper, `${indent}  `, mark);
    });
    put(`\n${indent}${close}`, mark);
  };
  write(value, '', '', false);
  return pieces;
}
