// Moments as words and digits, in the reader's language and zone.
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const formats = new Map<string, Intl.DateTimeFormat>();
function format(locale: string, kind: 'time' | 'date' | 'both'): Intl.DateTimeFormat {
  const key = `${locale} ${kind}`;
  let found = formats.get(key);
  if (!found) {
    const date = { year: 'numeric', month: 'short', day: 'numeric' } as const;
    const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
    found = new Intl.DateTimeFormat(locale, kind === 'time' ? time : kind === 'date' ? date : { ...date, ...time });
    formats.set(key, found);
  }
  return found;
}

/** `14:02:09`, with the date when that is another day than `now`. */
export function clockTime(at: string | number, locale: string, now: number): string {
  const then = new Date(at);
  const sameDay = then.toDateString() === new Date(now).toDateString();
  return format(locale, sameDay ? 'time' : 'both').format(then);
}

export const fullTime = (at: string, locale: string): string => format(locale, 'both').format(new Date(at));

const relatives = new Map<string, Intl.RelativeTimeFormat>();

/** `3 min. ago`; seconds are not counted one by one, they would flicker. */
export function ago(at: string, now: number, locale: string, justNow: string): string {
  const past = now - Date.parse(at);
  if (past < 5000) return justNow;
  let relative = relatives.get(locale);
  if (!relative) {
    relative = new Intl.RelativeTimeFormat(locale, { style: 'narrow', numeric: 'always' });
    relatives.set(locale, relative);
  }
  if (past < MINUTE) return relative.format(-Math.floor(past / 5000) * 5, 'second');
  if (past < HOUR) return relative.format(-Math.floor(past / MINUTE), 'minute');
  if (past < DAY) return relative.format(-Math.floor(past / HOUR), 'hour');
  return relative.format(-Math.floor(past / DAY), 'day');
}

/** `2:05` or `1:02:05`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number) => String(n).padStart(2, '0');
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
