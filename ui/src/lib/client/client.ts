// What a page may ask of the owner of the store, whichever way it is reached.
import type {
  Answer, Board, BoardParams, Body, BodyParams, ChainDetail, Change, EventDetail, EventParams, Events, EventsParams, ImportJob, ImportParams, Refusal, Rejected,
  RejectedParams, RejectionParams, Replay, ReplayParams, RunDetail, RunParams, Runs, RunsParams, Status, TaskDetail, TaskFields,
  TaskParams, Trash, TrashParams, Verify, VerifyParams,
} from './types.gen';

export interface Views {
  board: { params: BoardParams; view: Board };
  task: { params: TaskParams; view: TaskDetail };
  runs: { params: RunsParams; view: Runs };
  trash: { params: TrashParams; view: Trash };
  status: { params: Record<string, never>; view: Status };
  run: { params: RunParams; view: RunDetail };
  events: { params: EventsParams; view: Events };
  event: { params: EventParams; view: EventDetail };
  body: { params: BodyParams; view: Body };
  rejected: { params: RejectedParams; view: Rejected };
  rejection: { params: RejectionParams; view: ChainDetail };
  replay: { params: ReplayParams; view: Replay };
  verify: { params: VerifyParams; view: Verify };
  import: { params: ImportParams; view: ImportJob | null };
}

/** What is drawn from without being read as text. */
export interface Bytes {
  run_index: { run: string; from?: number };
  run_find: { run: string; text: string };
  board_index: { project?: string };
}

/** Set by the shell: the event that the screen shows, when it shows the past. Each call then carries it, and is refused. */
export const past: { at: () => number | null } = { at: () => null };

export type FeedMessage =
  | { type: 'hello'; position: number; version: string; owner: string }
  | ({ type: 'change' } & Change)
  | { type: 'beat'; position: number }
  /** The owner is gone; a hello follows when there is one again. */
  | { type: 'lost' }
  /** The browser is not signed in, or not any more. */
  | { type: 'signed_out' };

export type Outcome = { ok: true; answer: Answer } | { ok: false; refusal: Refusal };

export type ToolName = 'progress_create' | 'progress_update' | 'progress_delete' | 'progress_restore' | 'rejection_mark';

export interface Client {
  /** Throws `Refused`, `SignedOut` or `Unreachable`. */
  view<N extends keyof Views>(name: N, params: Views[N]['params']): Promise<Views[N]['view']>;
  /** As `view`. */
  bytes<N extends keyof Bytes>(name: N, params: Bytes[N]): Promise<ArrayBuffer>;
  /** Throws `SignedOut` or `Unreachable`; being refused is an answer. */
  call(project: string | null, tool: ToolName, args: Record<string, unknown>): Promise<Outcome>;
  /** Follows the feed until the function it gives back is called. */
  feed(listener: (messages: FeedMessage[]) => void): () => void;
}

export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export class SignedOut extends Error {}

/** No answer came; whether the call was carried out is not known. */
export class Unreachable extends Error {}

/** The task in an answer's structure. */
export function taskOf(answer: Answer): TaskFields | null {
  const { structured } = answer;
  if (typeof structured !== 'object' || structured === null || !('task' in structured)) return null;
  return structured.task as TaskFields;
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}
