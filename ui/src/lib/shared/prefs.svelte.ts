// What a person chose about the looks, kept in this browser.
import { type Locale, LOCALES, preferred, words } from './i18n/i18n.svelte';
import { read, write } from './storage';

export const THEMES = ['system', 'light', 'dark', 'contrast'] as const;
export type Theme = (typeof THEMES)[number];
export const DENSITIES = ['compact', 'default', 'comfortable'] as const;
export type Density = (typeof DENSITIES)[number];

const one = <T extends string>(value: unknown, of: readonly T[], otherwise: T): T => of.find((item) => item === value) ?? otherwise;

class Prefs {
  theme = $state<Theme>('system');
  density = $state<Density>('default');
  strip = $state(true);
  /** Times of a log since the run began, instead of by the clock. */
  relativeTime = $state(false);

  load(): void {
    this.theme = one(read('theme'), THEMES, 'system');
    this.density = one(read('density'), DENSITIES, 'default');
    this.strip = read('strip') !== 'off' && (read('strip') === 'on' || innerWidth >= 1100);
    this.relativeTime = read('time') === 'relative';
    words.locale = one(read('locale'), Object.keys(LOCALES) as Locale[], preferred(navigator.languages));
    for (const query of ['(prefers-color-scheme: dark)', '(prefers-contrast: more)']) {
      matchMedia(query).addEventListener('change', () => this.paint());
    }
    this.paint();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    write('theme', theme);
    this.paint();
  }
  setDensity(density: Density): void {
    this.density = density;
    write('density', density);
  }
  setStrip(open: boolean): void {
    this.strip = open;
    write('strip', open ? 'on' : 'off');
  }
  setRelativeTime(relative: boolean): void {
    this.relativeTime = relative;
    write('time', relative ? 'relative' : 'clock');
  }
  setLocale(locale: Locale): void {
    words.locale = locale;
    write('locale', locale);
    this.paint();
  }

  private paint(): void {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const contrast = matchMedia('(prefers-contrast: more)').matches;
    const root = document.documentElement;
    const system = contrast ? 'contrast' : dark ? 'dark' : 'light';
    const name = this.theme === 'system' ? system : this.theme;
    root.dataset['theme'] = name === 'contrast' ? (dark ? 'contrast-dark' : 'contrast-light') : name;
    root.lang = words.locale;
  }
}

export const prefs = new Prefs();
