import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'svelte/compiler';
import { describe, expect, it } from 'vitest';
import { en, type Message } from './en';
import { choose, fill, split } from './fill';
import { preferred, words } from './i18n.svelte';
import { zh } from './zh';

const slots = (message: Message) =>
  [...new Set(split(typeof message === 'string' ? message : message.one + message.other).flatMap((part) => ('slot' in part ? [part.slot] : [])))].sort();

describe('the catalogues', () => {
  it('have the same keys', () => expect(Object.keys(zh)).toEqual(Object.keys(en)));
  it.each(Object.keys(en) as (keyof typeof en)[])('%s has the same places in both', (key) => expect(slots(zh[key])).toEqual(slots(en[key])));
  it('have no key that nothing uses', () => {
    const source = files('src').filter((file) => !/i18n\/(en|zh)(\/\w+)?\.ts$|\.test\.ts$/.test(file)).map((file) => readFileSync(file, 'utf8')).join('\n');
    // Keys that are put together from a prefix and a name.
    const made = /^(theme_|density_|lane_|kind_)/;
    expect(Object.keys(en).filter((key) => !made.test(key) && !new RegExp(`\\b${key}\\b`).test(source))).toEqual([]);
  });
  it('have no English in the Chinese', () => {
    const allowed = /Tallyboard|MB|JSON|HTTP|stdio|Esc|\bU\b|\bv\b|\{\w+\}/g;
    const left = Object.entries(zh).filter(([, message]) => /[A-Za-z]{2,}/.test(String(message).replace(allowed, '')));
    expect(left).toEqual([]);
  });
});

describe('a message', () => {
  it('chooses its form and writes numbers as the language does', () => {
    expect(fill(choose(en.held_moves, 1, 'en'), { n: 1 }, 'en')).toBe('1 move held');
    expect(fill(choose(en.held_moves, 1234, 'en'), { n: 1234 }, 'en')).toBe('1,234 moves held');
  });
  it('puts a value in as text, whatever is in it', () => {
    expect(fill('{who} did', { who: '{n} <b>' }, 'en')).toBe('{n} <b> did');
  });
  it('is in the language that is chosen, at once', () => {
    expect(words.t('board')).toBe('Board');
    words.locale = 'zh-Hans';
    expect(words.t('board')).toBe('看板');
    words.locale = 'en';
  });
  it('begins in the first language of the browser that we speak', () => {
    expect(preferred(['fr', 'zh-CN', 'en'])).toBe('zh-Hans');
    expect(preferred(['fr'])).toBe('en');
  });
});

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)]));
}

/** Key names and signs that are the same in every language. */
const NEUTRAL = /^(\s|[^\p{L}]|v|\b([A-Z]|Ctrl|Shift|Esc)\b)*$/u;
const SPOKEN = new Set(['aria-label', 'title', 'placeholder', 'alt', 'label']);

/** Texts in a component's markup that a person would read and that come from no catalogue. */
function literals(node: unknown, found: string[] = []): string[] {
  if (Array.isArray(node)) for (const item of node) literals(item, found);
  else if (typeof node === 'object' && node !== null) {
    const { type, name, value, data } = node as Record<string, unknown>;
    if ((name === 'code' && type === 'RegularElement') || type === 'StyleDirective') return found;
    if (type === 'Text' && typeof data === 'string') found.push(data);
    else if (type === 'Attribute') {
      if (SPOKEN.has(String(name))) literals(value, found);
    } else for (const [key, child] of Object.entries(node)) if (key !== 'script' && key !== 'css' && key !== 'metadata') literals(child, found);
  }
  return found;
}

describe('the components', () => {
  it.each(files('src').filter((file) => file.endsWith('.svelte')))('%s has no words of its own', (file) => {
    const { fragment } = parse(readFileSync(file, 'utf8'), { modern: true });
    expect(literals(fragment).filter((text) => !NEUTRAL.test(text))).toEqual([]);
  });
  it('would be found if they had', () => {
    expect(literals(parse('<p title="Hello">Save {x} now</p>', { modern: true }).fragment)).toEqual(['Hello', 'Save ', ' now']);
  });
});
