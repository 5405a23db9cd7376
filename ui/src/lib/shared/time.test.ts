import { describe, expect, it } from 'vitest';
import { ago, clockTime, duration } from './time';

const now = Date.parse('2026-11-30T12:00:00.000Z');
const at = (ms: number) => new Date(now - ms).toISOString();

describe('times', () => {
  it('are told in the language', () => {
    expect(ago(at(3000), now, 'en', 'just now')).toBe('just now');
    expect(ago(at(180_000), now, 'en', '')).toBe('3m ago');
    expect(ago(at(180_000), now, 'zh-Hans', '')).toBe('3分钟前');
    expect(ago(at(-9000), now, 'en', 'just now')).toBe('just now');
  });
  it('do not count single seconds', () => expect(ago(at(13_000), now, 'en', '')).toBe(ago(at(11_000), now, 'en', '')));
  it('have their date when it is another day', () => {
    expect(clockTime(now, 'en', now)).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(clockTime(now - 3 * 86_400_000, 'en', now)).toContain('2026');
  });
  it('are durations', () => {
    expect(duration(125_000)).toBe('2:05');
    expect(duration(3_725_000)).toBe('1:02:05');
    expect(duration(-5)).toBe('0:00');
  });
});
