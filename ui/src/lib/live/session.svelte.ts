// The one place that listens to the owner: feed in, board and status out. Nothing here polls; what
// went stale is fetched when the feed says so.
import { BoardModel } from '../board/model';
import { type Client, type FeedMessage, Refused, SignedOut, Unreachable } from '../client/client';
import type { Refusal, Replay, Status, StripItem, Tag } from '../client/types.gen';
import { t } from '../shared/i18n/i18n.svelte';
import { EventBuffer } from '../event/buffer';
import { Refetch, throttled } from './refetch';

/** A beat comes each second. */
const SILENCE_MS = 2000;
const STATUS_GAP_MS = 400;
const FRESH_MS = 600;
const BUSY_MS = 300;
const FRESH_MAX = 20;

type Watcher = (tags: Tag[] | null) => void;

export class Session {
  client!: Client;
  private started = false;
  readonly board = new BoardModel();
  readonly events = new EventBuffer();
  /** Rises with each change of the board or the events. */
  tick = $state(0);
  phase = $state<'starting' | 'ready' | 'signed_out' | 'failed'>('starting');
  link = $state<'connecting' | 'live' | 'stale'>('connecting');
  /** When the owner was last heard. */
  heardAt = $state(Date.now());
  position = $state(0);
  latest = $state(0);
  paused = $state(false);
  status = $state.raw<Status | null>(null);
  trouble = $state.raw<Refusal | null>(null);
  /** Cards that changed a moment ago. */
  fresh = $state.raw<ReadonlySet<number>>(new Set());

  /** The moment that is shown instead of now. */
  moment = $state.raw<Replay | null>(null);
  private past: { at: number; run: string | null } | null = null;

  /** Changes come so fast that animating each would only cost. */
  busy = false;
  private mergedAt = 0;
  private asked: string | null = null;
  private owner: string | null = null;
  private full = true;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private freshTimer: ReturnType<typeof setTimeout> | undefined;
  private stop: (() => void) | null = null;
  private readonly watchers = new Set<Watcher>();
  private readonly greeted = new Set<() => void>();
  private readonly eventWatchers = new Set<(events: StripItem[]) => void>();
  private readonly boardFetch = new Refetch(() => this.loadBoard());
  private readonly statusFetch = new Refetch(() => this.loadStatus());
  private readonly askStatus = throttled(STATUS_GAP_MS, () => this.statusFetch.ask());

  start(client: Client, project: string | null): void {
    this.client = client;
    this.asked = project;
    this.started = true;
    this.stop = client.feed((messages) => messages.forEach((message) => this.hear(message)));
  }

  end(): void {
    this.stop?.();
    clearTimeout(this.silence);
    clearTimeout(this.freshTimer);
  }

  setProject(project: string | null): void {
    if (!this.started || project === this.asked || (project !== null && project === this.board.project?.id)) {
      this.asked = project;
      return;
    }
    this.asked = project;
    this.board.clear();
    this.events.clear();
    this.phase = 'starting';
    this.full = true;
    this.tick += 1;
    this.boardFetch.ask();
  }

  /** Why nothing can be changed here, in words; `null`: it can. */
  get readOnly(): string | null {
    return this.moment ? t('past_read_only') : (this.status?.readOnly ?? null);
  }

  /** Shows the board as it was, or (`null`) as it is. One question is under way; the newest wish wins. */
  setPast(past: { at: number; run: string | null } | null): void {
    if (!this.started || (past?.at === this.past?.at && past?.run === this.past?.run)) return;
    this.past = past;
    this.full = true;
    this.boardFetch.ask();
  }

  /** Calls `watcher` with what went stale (`null`: all) until the function given back is called. */
  watch(watcher: Watcher): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
  watchEvents(watcher: (events: StripItem[]) => void): () => void {
    this.eventWatchers.add(watcher);
    return () => this.eventWatchers.delete(watcher);
  }

  setPaused(paused: boolean): void {
    this.paused = paused;
    if (!paused) this.wake(null);
  }

  /** Tries again what failed. */
  retry(): void {
    this.full = true;
    this.wake(null);
  }

  /** True once the owner greeted again; false when it did not in time. */
  nextHello(ms: number): Promise<boolean> {
    return new Promise((done) => {
      const came = () => {
        clearTimeout(timer);
        done(true);
      };
      const timer = setTimeout(() => {
        this.greeted.delete(came);
        done(false);
      }, ms);
      this.greeted.add(came);
    });
  }

  private hear(message: FeedMessage): void {
    switch (message.type) {
      case 'lost':
        this.link = this.phase === 'starting' ? 'connecting' : 'stale';
        clearTimeout(this.silence);
        return;
      case 'signed_out':
        this.phase = 'signed_out';
        return;
      case 'hello':
        // Another process, or a store that was put back: what we hold may never have been.
        if (message.owner !== this.owner || message.position < this.board.position) this.full = true;
        this.owner = message.owner;
        this.heard(message.position);
        this.wake(null);
        for (const came of this.greeted) came();
        this.greeted.clear();
        return;
      case 'change':
        this.heard(message.position);
        this.wake(message.tags.length === 0 ? null : message.tags);
        return;
      case 'beat':
        this.heard(message.position);
        // Only when a change was missed.
        if (!this.past && message.position > this.board.position && !this.boardFetch.busy) this.wake(null);
    }
  }

  private heard(position: number): void {
    this.heardAt = Date.now();
    this.latest = position;
    if (this.link !== 'live') this.link = 'live';
    clearTimeout(this.silence);
    this.silence = setTimeout(() => (this.link = 'stale'), SILENCE_MS);
  }

  private wake(tags: Tag[] | null): void {
    if (this.paused && !this.full) return;
    if (!this.past) this.boardFetch.ask();
    this.askStatus();
    for (const watcher of this.watchers) watcher(tags);
  }

  private async loadPast(past: { at: number; run: string | null }): Promise<void> {
    const { asked } = this;
    try {
      const params = past.run === null ? (asked === null ? {} : { project: asked }) : { run: past.run };
      const moment = await this.client.view('replay', { ...params, at: past.at });
      if (!this.past) return;
      const { project, projects } = this.board;
      this.board.merge({ project: project ?? moment.project, projects, position: moment.atPosition, full: true, tasks: moment.tasks, removed: [], strip: [] });
      this.moment = moment;
      this.position = moment.atPosition;
      this.phase = 'ready';
      this.trouble = null;
      this.tick += 1;
      if (moment.changed) this.mark([moment.changed.task]);
    } catch (error) {
      this.failed(error);
    }
  }

  private async loadBoard(): Promise<void> {
    if (this.past && this.board.projects.length > 0) return this.loadPast(this.past);
    const project = this.asked;
    const since = this.full || this.board.position < 0 ? {} : { since: this.board.position };
    this.full = false;
    try {
      const board = await this.client.view('board', { ...(project === null ? {} : { project }), ...since });
      if (project !== this.asked) return this.boardFetch.ask();
      if (board.full) this.events.clear();
      const now = performance.now();
      this.busy = now - this.mergedAt < BUSY_MS;
      this.mergedAt = now;
      const changed = this.board.merge(board);
      const added = this.events.add(board.strip);
      this.position = board.position;
      this.phase = 'ready';
      this.trouble = null;
      this.moment = null;
      this.tick += 1;
      if (this.past) this.boardFetch.ask();
      if (changed) this.mark(changed);
      if (!board.full && added.length > 0) for (const watcher of this.eventWatchers) watcher(added);
    } catch (error) {
      this.full = true;
      this.failed(error);
    }
  }

  private failed(error: unknown): void {
    if (error instanceof SignedOut) this.phase = 'signed_out';
    else if (error instanceof Refused) {
      this.trouble = error.refusal;
      if (this.phase !== 'ready') this.phase = 'failed';
    } else if (!(error instanceof Unreachable)) throw error;
    // Unreachable: the feed notices too, and its next hello fetches again.
  }

  private async loadStatus(): Promise<void> {
    try {
      this.status = await this.client.view('status', {});
    } catch {
      // The next change or hello asks again.
    }
  }

  private mark(ids: number[]): void {
    this.fresh = new Set(ids.slice(0, FRESH_MAX));
    clearTimeout(this.freshTimer);
    this.freshTimer = setTimeout(() => (this.fresh = new Set()), FRESH_MS);
  }
}

export const session = new Session();
