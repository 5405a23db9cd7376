// A task as it was in each version, found from the changes between them.
import type { FieldChange, TaskDetail, TaskStatus, TaskVersion } from '../client/types.gen';

export interface Snapshot {
  status: TaskStatus;
  subject: string;
  description: string;
  blockedBy: number[];
}

type Known = Pick<TaskDetail, 'status' | 'subject' | 'description' | 'versions'> & { blockedBy: { id: number }[] };

function undone(snapshot: Snapshot, change: FieldChange): Snapshot {
  const before = change.before ?? (change.field === 'blockedBy' ? [] : '');
  return { ...snapshot, [change.field]: before };
}

/** By version number. */
export function snapshots(detail: Known): Map<number, Snapshot> {
  const { status, subject, description } = detail;
  let now: Snapshot = { status, subject, description: description ?? '', blockedBy: detail.blockedBy.map(({ id }) => id) };
  const found = new Map<number, Snapshot>();
  for (const version of detail.versions) {
    found.set(version.version, now);
    now = version.changes.reduce(undone, now);
  }
  return found;
}

export function between(from: Snapshot, to: Snapshot): FieldChange[] {
  const fields = ['status', 'subject', 'description', 'blockedBy'] as const;
  return fields
    .filter((field) => String(from[field]) !== String(to[field]))
    .map((field) => ({ field, before: from[field], after: to[field] }));
}

/** What to send so that the task is again as it was in `to`. */
export function patchTo(now: Snapshot, to: Snapshot): { status?: TaskStatus; subject?: string; description?: string; blockedBy?: string[] } {
  const patch: ReturnType<typeof patchTo> = {};
  if (now.status !== to.status) patch.status = to.status;
  if (now.subject !== to.subject) patch.subject = to.subject;
  if (now.description !== to.description) patch.description = to.description;
  if (String(now.blockedBy) !== String(to.blockedBy)) patch.blockedBy = to.blockedBy.map(String);
  return patch;
}

/** Who gave each field the value it has: the newest version that changed it, else the one that made the task. */
export function blame(versions: TaskVersion[]): { field: string; version: TaskVersion }[] {
  const oldest = versions.at(-1);
  if (!oldest) return [];
  return ['status', 'subject', 'description', 'blockedBy'].map((field) => {
    const by = versions.find(({ changes }) => changes.some((change) => change.field === field && String(change.before) !== String(change.after)));
    return { field, version: by ?? oldest };
  });
}
