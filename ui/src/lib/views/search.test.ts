import { expect, it } from 'vitest';
import { best, numberIn, score } from './search';

it('finds what holds every word, the beginning of a word before the middle', () => {
  const texts = ['Reorder the list', 'Export orders as CSV', 'Orders page', 'Write docs'];
  expect(best(texts, 'order', (text) => text, 9)).toEqual(['Orders page', 'Export orders as CSV', 'Reorder the list']);
  expect(best(texts, 'csv export', (text) => text, 9)).toEqual(['Export orders as CSV']);
  expect(score('错误信息中文化', '中文')).toBeGreaterThan(0);
});
it('knows the number of a task', () => {
  expect(numberIn(' #12 ')).toBe(12);
  expect(numberIn('12a')).toBeNull();
});
