// A line of a log in words: which message names its kind.
import { EVENT_KINDS } from '../client/types.gen';
import type { Key } from '../shared/i18n/en';
import type { IconName } from '../shared/icons';

type Kind = (typeof EVENT_KINDS)[number];

const ICONS: Record<Kind, IconName> = {
  run_started: 'play', run_ended: 'check', run_resumed: 'rotate-ccw', turn_started: 'chevron-right', turn_ended: 'chevron-left', message: 'activity',
  model_proposed: 'bot', tool_called: 'chevron-right', tool_returned: 'circle-check', tool_failed: 'ban', permission_asked: 'hand',
  permission_decided: 'check', call_answered: 'search', call_rejected: 'shield-x', task_created: 'plus', task_updated: 'pencil',
  task_deleted: 'trash', task_restored: 'undo', todo_written: 'tree', note: 'file-plus', rogue_file_seen: 'alert', budget_exhausted: 'alert',
  verdict: 'circle-check', rejection_marked: 'circle-check',
};
const isKind = (kind: string): kind is Kind => (EVENT_KINDS as readonly string[]).includes(kind);

/** `null`: a kind that a later program wrote; it is shown by its own name. */
export const kindKey = (kind: string): Key | null => (isKind(kind) ? `kind_${kind}` : null);
export const kindIcon = (kind: string): IconName => (isKind(kind) ? ICONS[kind] : 'hash');
