import { describe, expect, it } from 'vitest';
import type { Chain } from '../client/types.gen';
import { grouped, marked } from './chains';

const chain = (seq: number, more: Partial<Chain>): Chain => ({
  run: 'r', seq, actor: { kind: 'agent', name: 'codex' }, tool: 'progress_update', code: 'STALE', task: 1, subject: 's', outcome: 'open', tries: [],
  repairedBy: null, repairMs: null, firstAt: '', lastAt: '', ...more,
});

describe('refused calls', () => {
  it('stand in groups, the largest first, with how they came out', () => {
    const groups = grouped([chain(1, {}), chain(2, { code: 'CYCLE' }), chain(3, { outcome: 'repaired' })], 'code');
    expect(groups.map(({ name, chains, counts }) => [name, chains.length, counts.open, counts.repaired])).toEqual([['STALE', 2, 1, 1], ['CYCLE', 1, 1, 0]]);
    expect(grouped([chain(1, { task: null })], 'task')[0]?.name).toBe('–');
  });
  it('have the wrong place marked in what was sent', () => {
    const pieces = (json: string, paths: string[]) => marked(json, paths).filter((piece) => piece.marked).map(({ text }) => text);
    expect(pieces('{"id":"1","patch":{"status":"Done"}}', ['patch.status'])).toEqual(['"status": "Done"']);
    expect(pieces('{"blockedBy":["1","x"]}', ['blockedBy[1]'])).toEqual(['"x"']);
    expect(pieces('{"id":"1"}', ['expectedVersion'])).toEqual([]);
    expect(marked('not json', [''])).toEqual([{ text: 'not json', marked: true }]);
    expect(marked('{"a":[1,{"b":[]}]}', []).map(({ text }) => text).join('')).toBe(JSON.stringify({ a: [1, { b: [] }] }, null, 2));
  });
});
