// A person's unsaved text of a task, beside what others make of the task meanwhile.
export const TEXTS = ['subject', 'description'] as const;
export type TextField = (typeof TEXTS)[number];

export interface Current {
  version: number;
  subject: string;
  /** Empty for none. */
  description: string;
}

export interface Draft {
  /** For each field in edit: what the person started from, and in which version; and what it is now. */
  fields: Partial<Record<TextField, { base: string; version: number; mine: string }>>;
}

export const empty: Draft = { fields: {} };

export function begin(draft: Draft, field: TextField, current: Current): Draft {
  if (draft.fields[field]) return draft;
  const text = current[field];
  return { fields: { ...draft.fields, [field]: { base: text, version: current.version, mine: text } } };
}

export function write(draft: Draft, field: TextField, mine: string): Draft {
  const entry = draft.fields[field];
  return entry ? { fields: { ...draft.fields, [field]: { ...entry, mine } } } : draft;
}

export function leave(draft: Draft, field: TextField): Draft {
  const fields = { ...draft.fields };
  delete fields[field];
  return { fields };
}

/** Fields that both sides changed, to different texts. */
export function conflicts(draft: Draft, current: Current): TextField[] {
  return TEXTS.filter((field) => {
    const entry = draft.fields[field];
    return entry && current[field] !== entry.base && current[field] !== entry.mine && entry.mine !== entry.base;
  });
}

/** The person's text stands; what the other wrote is now what it started from. */
export function keepMine(draft: Draft, field: TextField, current: Current): Draft {
  const entry = draft.fields[field];
  if (!entry) return draft;
  return { fields: { ...draft.fields, [field]: { ...entry, base: current[field], version: current.version } } };
}

/** What the draft would change. Fields the person did not touch are not sent. */
export function patchOf(draft: Draft, current: Current): Partial<Record<TextField, string>> {
  const patch: Partial<Record<TextField, string>> = {};
  for (const field of TEXTS) {
    const entry = draft.fields[field];
    if (entry && entry.mine !== entry.base && entry.mine !== current[field]) patch[field] = entry.mine;
  }
  return patch;
}

export const touched = (draft: Draft): boolean => TEXTS.some((field) => draft.fields[field] && draft.fields[field].mine !== draft.fields[field].base);

/** The version the person started from, when others have changed the task since. */
export function behind(draft: Draft, current: Current): number | null {
  const versions = TEXTS.flatMap((field) => draft.fields[field]?.version ?? []);
  const oldest = Math.min(...versions);
  return versions.length > 0 && oldest < current.version ? oldest : null;
}

/** A field nobody typed in follows what others write. */
export function follow(draft: Draft, current: Current): Draft {
  let next = draft;
  for (const field of TEXTS) {
    const entry = next.fields[field];
    if (entry && entry.mine === entry.base && entry.base !== current[field]) {
      next = { fields: { ...next.fields, [field]: { base: current[field], version: current.version, mine: current[field] } } };
    }
  }
  return next;
}

export function parse(text: string | null): Draft {
  if (text === null) return empty;
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read !== 'object' || read === null || !('fields' in read) || typeof read.fields !== 'object') return empty;
    const fields: Draft['fields'] = {};
    for (const field of TEXTS) {
      const entry = (read.fields as Draft['fields'])[field];
      if (entry && typeof entry.base === 'string' && typeof entry.mine === 'string' && typeof entry.version === 'number') fields[field] = entry;
    }
    return { fields };
  } catch {
    return empty;
  }
}
