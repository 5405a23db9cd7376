import { describe, expect, it } from 'vitest';
import type { Card, TaskVersion } from '../client/types.gen';
import * as drafts from './draft';
import { informed, lostMove } from './lost';
import { parseNumbers } from './numbers';
import { between, patchTo, snapshots } from './versions';
import { wordDiff } from './words';

const v1 = { version: 1, subject: 'Sign in', description: 'ten minutes' };
const typed = (text: string) => drafts.write(drafts.begin(drafts.empty, 'description', v1), 'description', text);

describe('a draft', () => {
  it('sends only what was changed', () => {
    expect(drafts.patchOf(typed('five'), v1)).toEqual({ description: 'five' });
    expect(drafts.patchOf(drafts.begin(typed('five'), 'subject', v1), v1)).toEqual({ description: 'five' });
    expect(drafts.patchOf(typed('ten minutes'), v1)).toEqual({});
  });
  it('has no conflict when another field changed, and knows that it is behind', () => {
    const v2 = { ...v1, version: 2, subject: 'Sign-in' };
    expect(drafts.conflicts(typed('five'), v2)).toEqual([]);
    expect(drafts.behind(typed('five'), v2)).toBe(1);
    expect(drafts.patchOf(typed('five'), v2)).toEqual({ description: 'five' });
  });
  it('has one when the same field changed, until it is settled', () => {
    const v2 = { ...v1, version: 2, description: 'one hour' };
    const draft = typed('five');
    expect(drafts.conflicts(draft, v2)).toEqual(['description']);
    const kept = drafts.keepMine(draft, 'description', v2);
    expect(drafts.conflicts(kept, v2)).toEqual([]);
    expect(drafts.patchOf(kept, v2)).toEqual({ description: 'five' });
    expect(drafts.conflicts(kept, { ...v2, version: 3, description: 'a day' })).toEqual(['description']);
    expect(drafts.touched(drafts.leave(draft, 'description'))).toBe(false);
  });
  it('has none when both wrote the same', () => {
    expect(drafts.conflicts(typed('one hour'), { ...v1, version: 2, description: 'one hour' })).toEqual([]);
  });
  it('follows the others in a field that was not typed in', () => {
    const v2 = { ...v1, version: 2, subject: 'Sign-in' };
    const both = drafts.begin(typed('five'), 'subject', v1);
    const next = drafts.follow(both, v2);
    expect(next.fields.subject).toEqual({ base: 'Sign-in', version: 2, mine: 'Sign-in' });
    expect(next.fields.description).toBe(both.fields.description);
  });
  it('survives being stored, and what is no draft does no harm', () => {
    expect(drafts.parse(JSON.stringify(typed('five')))).toEqual(typed('five'));
    for (const text of [null, '', '7', '{"fields":{"subject":3}}', '{"fields":null}']) expect(drafts.touched(drafts.parse(text))).toBe(false);
  });
});

const version = (number: number, changes: TaskVersion['changes']): TaskVersion => ({
  version: number, at: '', actor: { kind: 'agent', name: 'codex' }, run: '', seq: 1, position: number, kind: 'task_updated', changes, tool: 'progress_update', key: null,
});

describe('the versions of a task', () => {
  const known = snapshots({
    status: 'done', subject: 'B', description: null, blockedBy: [{ id: 4 }],
    versions: [
      version(4, [{ field: 'description', before: 'text', after: null }, { field: 'status', before: 'pending', after: 'done' }]),
      version(3, [{ field: 'subject', before: 'A', after: 'B' }]),
      version(2, [{ field: 'blockedBy', before: [], after: [4] }, { field: 'description', before: null, after: 'text' }]),
      version(1, []),
    ],
  });
  it('are found from the changes between them', () => {
    expect(known.get(1)).toEqual({ status: 'pending', subject: 'A', description: '', blockedBy: [] });
    expect(known.get(3)).toEqual({ status: 'pending', subject: 'B', description: 'text', blockedBy: [4] });
  });
  it('can be compared, any two, and gone back to', () => {
    const [first, third, last] = [known.get(1), known.get(3), known.get(4)];
    if (!first || !third || !last) throw new Error('a version is missing');
    expect(between(first, third).map(({ field }) => field)).toEqual(['subject', 'description', 'blockedBy']);
    expect(between(last, last)).toEqual([]);
    expect(patchTo(last, first)).toEqual({ status: 'pending', subject: 'A', blockedBy: [] });
  });
});

describe('a difference of texts', () => {
  const marked = (before: string, after: string, locale = 'en') =>
    wordDiff(before, after, locale).map(({ text, kind }) => (kind === 'same' ? text : kind === 'in' ? `+[${text}]` : `-[${text}]`)).join('');
  it('is in words', () => expect(marked('Codes live ten minutes.', 'Codes live five minutes.')).toBe('Codes live -[ten ]+[five ]minutes.'));
  it('is in words of Chinese too', () => expect(marked('登录验证码有效十分钟', '登录验证码有效五分钟', 'zh-Hans')).toBe('登录验证码有效-[十分钟]+[五分钟]'));
  it('shows two texts when they share almost nothing', () => expect(marked('Six tries in a day', 'Ask Ada')).toBe('-[Six tries in a day]\n+[Ask Ada]'));
  it('loses nothing', () => {
    const pieces = wordDiff('a  b\nc', 'a b\n\nd', 'en');
    expect(pieces.filter(({ kind }) => kind !== 'in').map(({ text }) => text).join('')).toContain('c');
  });
});

describe('a move that lost', () => {
  const seen: Card = {
    id: 3, version: 7, status: 'pending', subject: 's', blockedBy: [], heldBy: null, rejected: 0, outcome: null, changedAt: '2026-11-30T12:00:00.000Z',
    changedBy: { kind: 'person', name: 'Ada' },
  };
  const refusal = {
    code: 'STALE' as const, message: '', issues: [],
    current: { id: '3', version: 8, status: 'blocked' as const, subject: 's', blockedBy: [] },
  };
  it('is told from the refusal, and better once the board has heard', () => {
    const lost = lostMove(refusal, 'done', seen, seen, 0);
    expect(lost).toMatchObject({ version: 8, now: 'blocked', who: '', gone: false });
    const card = { ...seen, version: 8, status: 'blocked' as const, changedBy: { kind: 'agent' as const, name: 'codex' }, changedAt: '2026-11-30T12:00:09.000Z' };
    if (lost) expect(informed(lost, card)).toMatchObject({ who: 'codex', at: '2026-11-30T12:00:09.000Z' });
  });
  it('says when the task is gone, and nothing of other refusals', () => {
    expect(lostMove({ ...refusal, code: 'NOT_FOUND' }, 'done', seen, undefined, 0)).toMatchObject({ gone: true });
    expect(lostMove({ ...refusal, code: 'POLICY_DENIED' }, 'done', seen, seen, 0)).toBeNull();
  });
});

describe('numbers of tasks', () => {
  it('are read as people write them', () => {
    expect(parseNumbers('#1, 2，3、4 5')).toEqual([1, 2, 3, 4, 5]);
    expect(parseNumbers('  ')).toEqual([]);
    expect(parseNumbers('1, x')).toBeNull();
    expect(parseNumbers('0')).toBeNull();
  });
});
