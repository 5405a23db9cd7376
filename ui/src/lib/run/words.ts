import type { Key } from '../shared/i18n/en';
import type { IconName } from '../shared/icons';

const STATUS: Record<string, Key> = {
  running: 'run_running', completed: 'run_completed', failed: 'run_failed', interrupted: 'run_interrupted', cancelled: 'run_cancelled',
  budget_exhausted: 'run_budget_exhausted',
};
const SOURCE: Record<string, Key> = {
  bridge: 'source_bridge', session: 'source_session', meta: 'source_meta', unattributed: 'source_unattributed', window: 'source_window',
  browser: 'source_browser', cli: 'source_cli', import: 'source_import',
  transcript: 'source_transcript', hooks: 'source_hooks', telemetry: 'source_telemetry',
};

const FAULT: Record<string, Key> = {
  unreadable: 'fault_unreadable', truncated: 'fault_truncated', encoding: 'fault_encoding', gap: 'fault_gap', repeat: 'fault_repeat',
  reorder: 'fault_reorder', foreign_run: 'fault_foreign_run', altered: 'fault_altered', unlinked: 'fault_unlinked', cut_tail: 'fault_cut_tail',
  swapped: 'fault_swapped', checkpoint: 'fault_checkpoint', mixed: 'fault_mixed', empty: 'fault_empty',
};

/** `null`: a word that a later program may write; it is shown as it is. */
export const statusKey = (status: string): Key | null => STATUS[status] ?? null;
export const faultKey = (fault: string): Key | null => FAULT[fault] ?? null;
export const sourceKey = (source: string): Key | null => SOURCE[source] ?? null;

/** `15:12:03.204`, or how long after the run's start: `+1:02.204`. */
export function stamp(ms: number, start: number, relative: boolean, locale: string): string {
  if (ms === 0) return '';
  const thousandths = String(Math.floor(ms) % 1000).padStart(3, '0');
  if (!relative) {
    return `${new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }).format(ms)}.${thousandths}`;
  }
  const past = Math.max(0, ms - start);
  const seconds = Math.floor(past / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return `+${h > 0 ? `${h}:${two(m)}` : m}:${two(s)}.${String(Math.floor(past) % 1000).padStart(3, '0')}`;
}

/** `12 ms`, `2.1 s`, `1:05`. */
export function took(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`;
}

export const RUN_ICON: Record<string, IconName> = {
  running: 'play', completed: 'circle-check', failed: 'ban', interrupted: 'wifi-off', cancelled: 'x', budget_exhausted: 'alert',
};
