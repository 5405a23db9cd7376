// Which key means what. Off in inputs and while a candidate of an input method is open.
export interface Binding {
  /** `Ctrl+K`, `Shift+J`, `Alt+ArrowLeft`, or a sequence: `G B`. */
  keys: string;
  run: (event: KeyboardEvent) => void;
  /** Also where text is typed. */
  inFields?: boolean;
}

const SEQUENCE_MS = 1200;

/** True while an input method composes: its Enter and its letters are not ours. */
export const composing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

export function chord(event: KeyboardEvent): string {
  const { key } = event;
  const letter = /^[a-z]$/i.test(key);
  const name = letter ? key.toUpperCase() : key === ' ' ? 'Space' : key;
  const mods = (event.ctrlKey || event.metaKey ? 'Ctrl+' : '') + (event.altKey ? 'Alt+' : '');
  // Of other characters, Shift is already part of what was typed: `?`.
  return mods + (event.shiftKey && (letter || key.length > 1) ? 'Shift+' : '') + name;
}

export function isField(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  const type = target instanceof HTMLInputElement ? target.type : '';
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(type);
  return target.matches('textarea, select, [contenteditable=""], [contenteditable="true"]');
}

export class Keymap {
  private readonly bindings = new Map<string, Binding>();
  private readonly starts = new Set<string>();
  private first: { key: string; at: number } | null = null;

  constructor(bindings: Binding[]) {
    for (const binding of bindings) {
      this.bindings.set(binding.keys, binding);
      const [start, second] = binding.keys.split(' ');
      if (start !== undefined && second !== undefined) this.starts.add(start);
    }
  }

  /** True when the key meant something. */
  handle(event: KeyboardEvent): boolean {
    if (composing(event) || event.defaultPrevented) return false;
    const pressed = chord(event);
    const typing = isField(event.target);
    const started = this.first && event.timeStamp - this.first.at < SEQUENCE_MS ? `${this.first.key} ${pressed}` : null;
    this.first = null;
    const binding = (started === null ? undefined : this.bindings.get(started)) ?? this.bindings.get(pressed);
    if (binding && (!typing || binding.inFields)) {
      event.preventDefault();
      binding.run(event);
      return true;
    }
    if (!typing && this.starts.has(pressed)) this.first = { key: pressed, at: event.timeStamp };
    return false;
  }
}
