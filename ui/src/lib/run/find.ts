// What a person types to narrow a run: `kind:tool_called state:rejected lane:board words`. What the
// columns know is answered from them; the words are looked for by the owner.
import { EVENT_KINDS } from '../client/types.gen';
import { LANES, STATES, type Timeline } from './timeline';

export interface Query {
  kinds: Set<number> | null;
  lanes: Set<number> | null;
  states: Set<number> | null;
  text: string;
  /** A word before a colon, or a value after it, that nothing here knows. */
  unknown: string | null;
}

const FIELDS: Record<string, readonly string[]> = { kind: EVENT_KINDS, lane: LANES, state: STATES };

export function parseQuery(typed: string): Query {
  const query: Query = { kinds: null, lanes: null, states: null, text: '', unknown: null };
  const text: string[] = [];
  for (const word of typed.trim().split(/\s+/)) {
    const [field = '', value = ''] = word.split(/:(.*)/s, 2);
    const known = FIELDS[field];
    if (!known || !word.includes(':')) {
      text.push(word);
      continue;
    }
    const found = known.flatMap((name, code) => (name.startsWith(value.toLowerCase()) && value !== '' ? [code] : []));
    if (found.length === 0) query.unknown ??= word;
    const set = (query[`${field}s` as 'kinds'] ??= new Set());
    for (const code of found) set.add(code);
  }
  query.text = text.join(' ');
  return query;
}

export const isEmpty = (query: Query): boolean => query.kinds === null && query.lanes === null && query.states === null && query.text === '';

/** 1 for each row that is left out; `null`: none is. `texts`: the seqs that hold the words. */
export function hiddenRows(timeline: Timeline, query: Query, texts: Uint32Array | null): Uint8Array | null {
  if (isEmpty(query)) return null;
  const hidden = new Uint8Array(timeline.length);
  const wrong = (set: Set<number> | null, code: number | undefined) => set !== null && !set.has(code ?? -1);
  for (let row = 0; row < timeline.length; row += 1) {
    if (wrong(query.kinds, timeline.kind[row]) || wrong(query.lanes, timeline.lane[row]) || wrong(query.states, timeline.state[row])) hidden[row] = 1;
  }
  if (query.text !== '') {
    const found = new Uint8Array(timeline.length);
    for (const seq of texts ?? []) if (seq <= found.length) found[seq - 1] = 1;
    for (let row = 0; row < hidden.length; row += 1) if (found[row] === 0) hidden[row] = 1;
  }
  return hidden;
}

/** The rows that are left, in order. */
export function shownRows(hidden: Uint8Array | null, length: number): Uint32Array | null {
  if (!hidden) return null;
  let n = 0;
  for (let row = 0; row < length; row += 1) if (hidden[row] !== 1) n += 1;
  const rows = new Uint32Array(n);
  n = 0;
  for (let row = 0; row < length; row += 1) if (hidden[row] !== 1) rows[n++] = row;
  return rows;
}
