import { en, type Key, type Message } from './en';
import { choose, fill, type Params, type Part, split } from './fill';
import { zh } from './zh';

export const LOCALES = { en: 'English', 'zh-Hans': '中文' } as const;
export type Locale = keyof typeof LOCALES;

const CATALOGUES: Record<Locale, Record<Key, Message>> = { en, 'zh-Hans': zh };

class Words {
  locale = $state<Locale>('en');

  /** A message; the number `n` among the values chooses its form. */
  t = (key: Key, params: Params = {}): string => {
    const n = params['n'];
    return fill(choose(CATALOGUES[this.locale][key], typeof n === 'number' ? n : 0, this.locale), params, this.locale);
  };

  parts = (key: Key): Part[] => split(choose(CATALOGUES[this.locale][key], 2, this.locale));

  number = (n: number): string => new Intl.NumberFormat(this.locale).format(n);

  list = (items: string[]): string => {
    const last = items.at(-1);
    if (last === undefined) return '';
    const before = items.slice(0, -1).join(this.t('comma'));
    return before === '' ? last : before + this.t('and') + last;
  };
}

export const words = new Words();
export const { t, parts } = words;

/** The language of the browser, as far as we speak it. */
export function preferred(languages: readonly string[]): Locale {
  const first = languages.find((tag) => /^(en|zh)\b/i.test(tag));
  return first?.toLowerCase().startsWith('zh') ? 'zh-Hans' : 'en';
}
export type { Key, Params, Part };
