import type { Key } from '../shared/i18n/en';

const STATUS: Record<string, Key> = {
  running: 'run_running', completed: 'run_completed', failed: 'run_failed', interrupted: 'run_interrupted', cancelled: 'run_cancelled',
  budget_exhausted: 'run_budget_exhausted',
};
const SOURCE: Record<string, Key> = {
  bridge: 'source_bridge', session: 'source_session', meta: 'source_meta', unattributed: 'source_unattributed', window: 'source_window',
  browser: 'source_browser', cli: 'source_cli',
};

/** `null`: a word that a later program may write; it is shown as it is. */
export const statusKey = (status: string): Key | null => STATUS[status] ?? null;
export const sourceKey = (source: string): Key | null => SOURCE[source] ?? null;
