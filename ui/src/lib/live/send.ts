// A person's call: with a key of its own, and sent again under the same key when the answer got lost.
import { type Outcome, type ToolName, Unreachable } from '../client/client';
import { session } from './session.svelte';

const HELLO_WAIT_MS = 8000;

function key(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export async function send(tool: ToolName, args: Record<string, unknown>): Promise<Outcome> {
  const keyed = { ...args, idempotencyKey: key() };
  const project = session.board.project?.id ?? null;
  try {
    return await session.client.call(project, tool, keyed);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    // It may have been carried out; the key makes a second time harmless.
    if (session.link === 'live') await session.nextHello(HELLO_WAIT_MS / 8);
    else if (!(await session.nextHello(HELLO_WAIT_MS))) throw error;
    return session.client.call(project, tool, keyed);
  }
}
