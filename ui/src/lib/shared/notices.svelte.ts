// What the page says back to a person: short notices with a way back, and words for a screen reader.
export interface Notice {
  id: number;
  kind: 'done' | 'problem';
  text: string;
  action: { label: string; run: () => void } | null;
}

const KEPT_MAX = 3;
const DONE_MS = 7000;
const PROBLEM_MS = 15_000;

class Notices {
  list = $state.raw<Notice[]>([]);
  /** Read out at once. */
  said = $state('');
  private next = 1;
  private readonly timers = new Map<number, ReturnType<typeof setTimeout>>();

  show(kind: Notice['kind'], text: string, action: Notice['action'] = null): void {
    const notice: Notice = { id: this.next, kind, text, action };
    this.next += 1;
    this.list = [...this.list, notice].slice(-KEPT_MAX);
    this.say(text);
    this.timers.set(notice.id, setTimeout(() => this.dismiss(notice.id), kind === 'done' ? DONE_MS : PROBLEM_MS));
  }

  dismiss(id: number): void {
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
    this.list = this.list.filter((notice) => notice.id !== id);
  }

  say(text: string): void {
    // The same words twice would not be read twice.
    this.said = this.said === text ? `${text}\u00a0` : text;
  }
}

export const notices = new Notices();
