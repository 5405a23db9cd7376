import { describe, expect, it } from 'vitest';
import type { StripItem } from '../client/types.gen';
import { EventBuffer } from './buffer';
import { firstLine, sentence } from './word';

const item = (position: number, more: Partial<StripItem> = {}): StripItem => ({
  position, run: 'r', seq: 1, kind: 'task_updated', at: '2026-11-30T12:00:00.000Z', actor: { kind: 'agent', name: 'codex' },
  unattributed: false, task: 1, subject: 's', changes: [], outcome: null, tool: null, code: null, text: null, ...more,
});

describe('the latest events', () => {
  it('stand newest first and each once', () => {
    const buffer = new EventBuffer();
    expect(buffer.add([item(1), item(2)]).length).toBe(2);
    expect(buffer.add([item(2), item(3)]).map(({ position }) => position)).toEqual([3]);
    expect(buffer.items.map(({ position }) => position)).toEqual([3, 2, 1]);
  });
  it('are only so many', () => {
    const buffer = new EventBuffer();
    buffer.add(Array.from({ length: 900 }, (_, index) => item(index)));
    expect(buffer.items.length).toBe(400);
    expect(buffer.items[0]?.position).toBe(899);
  });
});

describe('an event as a sentence', () => {
  it('says the status before other fields', () => {
    const changes = [{ field: 'subject', before: 'a', after: 'b' }, { field: 'status', before: 'pending', after: 'done' }];
    expect(sentence(item(1, { changes }))).toEqual({ key: 'ev_status', to: 'done', fields: ['subject'] });
  });
  it('knows a refused call with and without a task, and an event of a later program', () => {
    expect(sentence(item(1, { kind: 'call_rejected' })).key).toBe('ev_rejected_task');
    expect(sentence(item(1, { kind: 'call_rejected', task: null })).key).toBe('ev_rejected');
    expect(sentence(item(1, { kind: 'verdict' })).key).toBe('ev_other');
  });
  it('shows what the agent was told: the first sentence, or the first problem when that says nothing', () => {
    expect(firstLine('STALE: task #1 is at version 1, not 9. Nothing changed.\nNow: …', 'STALE')).toBe('task #1 is at version 1, not 9. Nothing changed.');
    expect(firstLine('INVALID_INPUT: x was refused, nothing changed; 1 problem:\n1. patch.status: no.', 'INVALID_INPUT')).toBe('patch.status: no.');
  });
});
