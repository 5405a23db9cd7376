// A view of the owner that is kept as it is now.
import { Refused, SignedOut } from '../client/client';
import { Refetch } from '../live/refetch';
import { session } from '../live/session.svelte';

export class Live<T> {
  value = $state.raw<T | null>(null);
  trouble = $state<string | null>(null);
  private readonly fetch: Refetch;

  constructor(load: (project: string | null) => Promise<T>) {
    this.fetch = new Refetch(async () => {
      try {
        this.value = await load(session.board.project?.id ?? null);
        this.trouble = null;
      } catch (error) {
        if (error instanceof SignedOut) session.phase = 'signed_out';
        else if (error instanceof Refused) this.trouble = error.refusal.message;
      }
    });
  }

  /** For `$effect`: from now until the view is gone. */
  follow(): () => void {
    this.fetch.ask();
    return session.watch(() => this.fetch.ask());
  }
}
