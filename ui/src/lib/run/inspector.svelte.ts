// One run under inspection: its facts, its columns, the lines in sight, what is selected. One seq is
// the selection everywhere; the address says which.
import { Refused } from '../client/client';
import type { EventDetail, EventLine, RunDetail } from '../client/types.gen';
import { Refetch, throttled } from '../live/refetch';
import { session } from '../live/session.svelte';
import { hiddenRows, parseQuery, type Query, shownRows } from './find';
import { decode, REJECTED, Scale, Timeline } from './timeline';

const LINES_KEPT = 2_000;
const PART = 200;

export class Inspector {
  readonly run: string;
  detail = $state.raw<RunDetail | null>(null);
  trouble = $state<string | null>(null);
  /** Rises when the columns grew, the filter changed, or lines came. */
  tick = $state(0);
  event = $state.raw<EventDetail | null>(null);
  query = $state.raw<Query>(parseQuery(''));
  /** Rows that the filter left, or `null` for all. */
  shown = $state.raw<Uint32Array | null>(null);
  hidden: Uint8Array | null = null;
  readonly timeline = new Timeline();
  scale = new Scale(this.timeline);
  private texts: Uint32Array | null = null;
  private readonly lines = new Map<number, EventLine>();
  private wanted: number[] = [];
  private at: number | null = null;
  private seq: number | null = null;
  private typed = '';
  private readonly factsFetch = new Refetch(() => this.loadFacts());
  private readonly indexFetch = new Refetch(() => this.loadIndex());
  private readonly linesFetch = new Refetch(() => this.loadLines());
  private readonly eventFetch = new Refetch(() => this.loadEvent());
  private readonly grew = throttled(150, () => {
    this.indexFetch.ask();
    this.factsFetch.ask();
  });

  constructor(run: string) {
    this.run = run;
  }

  /** For `$effect`: follows the run until the function given back is called. */
  follow(): () => void {
    this.grew();
    return session.watch((tags) => {
      if (tags === null || tags.some((tag) => tag.kind === 'run' && tag.run === this.id)) this.grew();
      if (tags?.some((tag) => tag.kind === 'verify' && tag.run === this.id)) this.factsFetch.ask();
    });
  }

  get id(): string {
    return this.detail?.run.id ?? this.run;
  }
  /** How many rows a list of the run has. */
  get count(): number {
    return this.shown ? this.shown.length : this.timeline.length;
  }
  /** The row of the timeline at a place of the list. */
  rowAt(index: number): number {
    return this.shown ? (this.shown[index] ?? 0) : index;
  }
  /** The place in the list of a row, or of the nearest one before it. */
  indexOf(row: number): number {
    if (!this.shown) return Math.min(row, this.timeline.length - 1);
    let [low, high] = [0, this.shown.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.shown[middle] ?? 0) <= row) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
  isRefusal = (row: number): boolean => this.timeline.state[row] === REJECTED;

  setAt(at: number | null): void {
    if (at === this.at) return;
    this.at = at;
    this.factsFetch.ask();
  }
  select(seq: number | null): void {
    if (seq === this.seq) return;
    this.seq = seq;
    if (seq === null) this.event = null;
    else this.eventFetch.ask();
  }

  /** Narrows the run. The words are looked for by the owner; until then the old answer stays. */
  async setFilter(typed: string): Promise<void> {
    if (typed === this.typed) return;
    this.typed = typed;
    const query = parseQuery(typed);
    let texts: Uint32Array | null = null;
    if (query.text !== '') {
      try {
        texts = new Uint32Array(await session.client.bytes('run_find', { run: this.run, text: query.text }));
      } catch (error) {
        this.fail(error);
      }
    }
    if (typed !== this.typed) return;
    this.query = query;
    this.texts = texts;
    this.narrow();
  }
  private narrow(): void {
    this.hidden = hiddenRows(this.timeline, this.query, this.texts);
    this.shown = shownRows(this.hidden, this.timeline.length);
    this.tick += 1;
  }

  /** The line of an event, if it is here; else it is asked for. */
  line(seq: number): EventLine | undefined {
    return this.lines.get(seq);
  }
  want(seqs: number[]): void {
    const missing = seqs.filter((seq) => !this.lines.has(seq));
    if (missing.length === 0) return;
    this.wanted = missing;
    this.linesFetch.ask();
  }

  private async loadFacts(): Promise<void> {
    try {
      this.detail = await session.client.view('run', { run: this.run, ...(this.at === null ? {} : { at: this.at }) });
      this.trouble = null;
    } catch (error) {
      this.fail(error);
    }
  }

  private async loadIndex(): Promise<void> {
    try {
      const part = decode(await session.client.bytes('run_index', { run: this.run, from: this.timeline.length + 1 }));
      if (part.at.length === 0 && this.timeline.length > 0) return;
      this.timeline.add(part);
      this.scale = new Scale(this.timeline);
      this.narrow();
    } catch (error) {
      this.fail(error);
    }
  }

  private async loadLines(): Promise<void> {
    const seqs = this.wanted;
    const [first] = seqs;
    if (first === undefined) return;
    // What stands together is asked for as a range, with some more in the direction of reading.
    const together = (seqs.at(-1) ?? first) - first < PART;
    try {
      const params = together ? { from: Math.max(1, first - 20), limit: PART } : { seqs: seqs.slice(0, PART) };
      const { events } = await session.client.view('events', { run: this.run, ...params });
      for (const event of events) {
        this.lines.delete(event.seq);
        this.lines.set(event.seq, event);
      }
      for (const seq of this.lines.keys()) {
        if (this.lines.size <= LINES_KEPT) break;
        this.lines.delete(seq);
      }
      this.tick += 1;
    } catch (error) {
      this.fail(error);
    }
  }

  private async loadEvent(): Promise<void> {
    const { seq } = this;
    if (seq === null) return;
    try {
      const event = await session.client.view('event', { run: this.run, seq });
      if (seq === this.seq) this.event = event;
      this.lines.set(seq, event.line);
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (error instanceof Refused) this.trouble = error.refusal.message;
    // What is unreachable comes back with the feed's next greeting.
  }
}
