import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync('src/styles/tokens.css', 'utf8');
const themes = ['light', 'dark', 'contrast-light', 'contrast-dark'];

function tokens(theme: string): Map<string, string> {
  const block = new RegExp(`data-theme='${theme}'\\]\\s*\\{([^}]*)\\}`).exec(css)?.[1] ?? '';
  return new Map([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, name, value]) => [name ?? '', value ?? '']));
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const contrast = (a: string, b: string) => {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
};

const GROUNDS = ['bg', 'surface', 'raised', 'hover', 'selected', 'sunken'];
const TEXTS: [string, string[]][] = [
  ...['text', 'text-2', 'text-3', 'accent', 'pending', 'in-progress', 'blocked', 'done', 'refused'].map((text): [string, string[]] => [text, GROUNDS]),
  ['danger', ['bg', 'surface', 'raised']],
  ['on-accent', ['accent', 'accent-hover']],
  ['blocked-on-bg', ['blocked-bg']],
  ['replay', ['replay-bg']],
  ...['text', 'text-2', 'text-3', 'refused', 'blocked'].map((text): [string, string[]] => [text, ['refused-bg']]),
  ['text', ['diff-in', 'diff-out']],
];

describe.each(themes)('the colours of %s', (theme) => {
  const colours = tokens(theme);
  const of = (name: string) => {
    const found = colours.get(name);
    if (found === undefined) throw new Error(`${theme} has no --${name}`);
    return found;
  };
  const pairs = TEXTS.flatMap(([text, grounds]) => grounds.map((ground) => [text, ground] as const));

  it.each(pairs)('%s on %s can be read', (text, ground) => {
    expect(contrast(of(text), of(ground))).toBeGreaterThanOrEqual(4.5);
  });
  it.each(['bg', 'surface', 'raised'])('the border of a control and the focus ring can be seen on %s', (ground) => {
    expect(contrast(of('control'), of(ground))).toBeGreaterThanOrEqual(3);
    expect(contrast(of('accent'), of(ground))).toBeGreaterThanOrEqual(3);
  });
});
