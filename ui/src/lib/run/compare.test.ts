import { describe, expect, it } from 'vitest';
import type { RunDetail, RunRow } from '../client/types.gen';
import { codesOf, tasksOf, toolsOf } from './compare';
import { arranged } from './list';

const row = (id: string, more: Partial<RunRow> = {}): RunRow => ({
  id, project: 'p', agent: 'codex', agentVersion: null, actor: 'agent', status: 'running', source: 'bridge', events: 1, rejected: 0, started: '', lastAt: '',
  openRefusals: 0, parent: null, title: null, tokensIn: null, tokensOut: null, cost: null, verify: null, ...more,
});
const detail = (more: Partial<RunDetail>): RunDetail => ({
  position: 1, run: row('a'), project: { id: 'p', name: 'p', path: null }, at: null, headPosition: 1, parent: null, children: [], plan: null, tasksTouched: 0, tasks: [], tools: [], codes: [], files: [], ...more,
});

describe('two runs', () => {
  const a = detail({ tools: [{ tool: 'x', calls: 2, refused: 1, failed: 0 }], codes: [{ code: 'STALE', calls: 1, repaired: 1 }] });
  const b = detail({ tools: [{ tool: 'x', calls: 2, refused: 1, failed: 0 }, { tool: 'y', calls: 1, refused: 0, failed: 0 }] });
  it('are put side by side, and what differs is marked', () => {
    expect(toolsOf(a, b)).toEqual([{ name: 'x', a: '2 (✕1)', b: '2 (✕1)', differs: false }, { name: 'y', a: null, b: '1', differs: true }]);
    expect(codesOf(a, b)).toEqual([{ name: 'STALE', a: '1 · ✓1', b: null, differs: true }]);
    expect(tasksOf(a, b)).toEqual([]);
  });
});

describe('the list of runs', () => {
  it('has sub-runs below their parent, also when the parent is older', () => {
    const runs = [row('c', { parent: 'a' }), row('b'), row('a'), row('d', { parent: 'gone' })];
    expect(arranged(runs, { text: '', actor: '', status: '' }).map(({ run, depth }) => `${run.id}${depth}`)).toEqual(['b0', 'a0', 'c1', 'd0']);
  });
  it('is narrowed by what is asked', () => {
    const runs = [row('a', { title: 'Nightly fix' }), row('b', { actor: 'person', status: 'completed' })];
    const ids = (filter: Partial<{ text: string; actor: string; status: string }>) => arranged(runs, { text: '', actor: '', status: '', ...filter }).map(({ run }) => run.id);
    expect([ids({ text: 'nightly' }), ids({ actor: 'person' }), ids({ status: 'running' }), ids({ text: 'zzz' })]).toEqual([['a'], ['b'], ['a'], []]);
  });
});
