// Putting values into a message, as text or as parts that a component draws itself.
import type { Message } from './en';

export type Params = Record<string, string | number>;
export type Part = { text: string } | { slot: string };

const SLOT = /\{(\w+)\}/g;

/** The form of a message for `n`. */
export function choose(message: Message, n: number, locale: string): string {
  if (typeof message === 'string') return message;
  return new Intl.PluralRules(locale).select(n) === 'one' ? message.one : message.other;
}

export function fill(template: string, params: Params, locale: string): string {
  return template.replace(SLOT, (whole, name: string) => {
    const value = params[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? new Intl.NumberFormat(locale).format(value) : value;
  });
}

export function split(template: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const match of template.matchAll(SLOT)) {
    if (match.index > from) parts.push({ text: template.slice(from, match.index) });
    parts.push({ slot: match[1] ?? '' });
    from = match.index + match[0].length;
  }
  if (from < template.length) parts.push({ text: template.slice(from) });
  return parts;
}
