// A browser's way to the owner: three routes of the origin that served the page.
import { type Client, type FeedMessage, isRefusal, type Outcome, past, Refused, SignedOut, Unreachable } from './client';
import type { Refusal } from './types.gen';

const RETRY_MIN_MS = 300;
const RETRY_MAX_MS = 2000;
/** A beat comes each second; after so long without any the connection is dead, whatever it says. */
const SILENCE_MAX_MS = 6000;

async function reach(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, credentials: 'same-origin', cache: 'no-store' });
  } catch (error) {
    throw new Unreachable(String(error));
  }
  if (response.status === 401) throw new SignedOut();
  return response;
}

async function ask(path: string, init?: RequestInit): Promise<{ status: number; body: unknown }> {
  const response = await reach(path, init);
  try {
    return { status: response.status, body: await response.json() };
  } catch (error) {
    throw new Unreachable(`${response.status}: ${String(error)}`);
  }
}

function refusalIn(body: unknown): Refusal | null {
  if (typeof body !== 'object' || body === null) return null;
  if ('refusal' in body && isRefusal(body.refusal)) return body.refusal;
  // What the guard in front of the routes says has a message too.
  const inner: unknown = 'error' in body ? body.error : body;
  if (typeof inner === 'object' && inner !== null && 'message' in inner) {
    return { code: 'INTERNAL', message: String(inner.message), issues: [] };
  }
  return null;
}

export function httpClient(): Client {
  return {
    async view(name, params) {
      const query = encodeURIComponent(JSON.stringify(params));
      const { status, body } = await ask(`/api/view/${name}?params=${query}`);
      if (status === 200) return body as never;
      throw new Refused(refusalIn(body) ?? { code: 'INTERNAL', message: `HTTP ${status}`, issues: [] });
    },
    async bytes(name, params) {
      const response = await reach(`/api/bytes/${name}?params=${encodeURIComponent(JSON.stringify(params))}`);
      if (response.status === 200) return response.arrayBuffer();
      const body: unknown = await response.json().catch(() => null);
      throw new Refused(refusalIn(body) ?? { code: 'INTERNAL', message: `HTTP ${response.status}`, issues: [] });
    },
    async call(project, tool, args) {
      const at = past.at();
      const message = JSON.stringify({ ...(project === null ? {} : { project }), tool, arguments: args, ...(at === null ? {} : { at }) });
      const { status, body } = await ask('/api/call', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: message,
      });
      if (typeof body === 'object' && body !== null && 'ok' in body) return body as Outcome;
      return { ok: false, refusal: refusalIn(body) ?? { code: 'INTERNAL', message: `HTTP ${status}`, issues: [] } };
    },
    feed: follow,
  };
}

/** An EventSource that is opened anew by us: its own way gives up on some errors and waits too long on others. */
function follow(listener: (messages: FeedMessage[]) => void): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = RETRY_MIN_MS;
  let ended = false;

  const silence = () => {
    clearTimeout(timer);
    timer = setTimeout(fail, SILENCE_MAX_MS);
  };
  const fail = () => {
    source?.close();
    source = null;
    clearTimeout(timer);
    if (ended) return;
    listener([{ type: 'lost' }]);
    timer = setTimeout(() => void probe(), wait);
    wait = Math.min(wait * 2, RETRY_MAX_MS);
  };
  /** An EventSource does not say why it failed, so a small view is asked for first. */
  const probe = async () => {
    try {
      await ask('/api/view/status?params=%7B%7D');
      if (!ended) open();
    } catch (error) {
      if (ended) return;
      if (error instanceof SignedOut) listener([{ type: 'signed_out' }]);
      fail();
    }
  };
  const open = () => {
    source = new EventSource('/api/feed');
    silence();
    source.onerror = fail;
    const on = (type: 'hello' | 'change' | 'beat') =>
      source?.addEventListener(type, (event: MessageEvent<string>) => {
        silence();
        wait = RETRY_MIN_MS;
        listener([{ type, ...JSON.parse(event.data) } as FeedMessage]);
      });
    on('hello');
    on('change');
    on('beat');
  };
  open();
  return () => {
    ended = true;
    clearTimeout(timer);
    source?.close();
  };
}
