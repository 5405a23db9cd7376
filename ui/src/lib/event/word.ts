// An event as a sentence: which message, and what stands in its places.
import type { FieldChange, StripItem, TaskStatus } from '../client/types.gen';
import type { Key } from '../shared/i18n/en';

export interface Sentence {
  key: Key;
  /** The new status, to be drawn as one. */
  to: TaskStatus | null;
  /** Other fields that changed. */
  fields: string[];
}

const plain = (key: Key): Sentence => ({ key, to: null, fields: [] });

const KEYS: Record<string, Key> = {
  task_created: 'ev_created',
  task_deleted: 'ev_deleted',
  task_restored: 'ev_restored',
  run_started: 'ev_run_started',
  run_ended: 'ev_run_ended',
};

export function sentence(item: Pick<StripItem, 'kind' | 'changes' | 'task'>): Sentence {
  if (item.kind === 'call_rejected') return plain(item.task === null ? 'ev_rejected' : 'ev_rejected_task');
  if (item.kind !== 'task_updated') return plain(KEYS[item.kind] ?? 'ev_other');
  const status = item.changes.find(({ field }) => field === 'status');
  const fields = item.changes.filter(({ field }) => field !== 'status').map(({ field }) => field);
  if (status) return { key: 'ev_status', to: status.after as TaskStatus, fields };
  return fields.length > 0 ? { ...plain('ev_updated'), fields } : plain('ev_touched');
}

const FIELD_KEYS: Record<string, Key> = {
  status: 'field_status', subject: 'field_subject', description: 'field_description', blockedBy: 'field_blockedBy',
};
export const fieldKey = (field: FieldChange['field']): Key => FIELD_KEYS[field] ?? 'field_description';

/** The one sentence of what an agent was told, without the lines of detail. */
export function firstLine(told: string, code: string): string {
  const line = told.split('\n', 1)[0] ?? '';
  const rest = line.startsWith(`${code}: `) ? line.slice(code.length + 2) : line;
  const detail = told.split('\n').find((text) => /^1\. /.test(text));
  return rest.endsWith('problem:') || /problems:$/.test(rest) ? (detail ?? rest).replace(/^1\. /, '') : rest;
}
