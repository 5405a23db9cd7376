// The latest events, newest first, each once.
import type { StripItem } from '../client/types.gen';

const KEPT_MAX = 400;

export class EventBuffer {
  items: StripItem[] = [];

  clear(): void {
    this.items = [];
  }

  /** `added` has the newest last, as the owner sends it. Gives back what was new. */
  add(added: StripItem[]): StripItem[] {
    const newest = this.items[0]?.position ?? -1;
    const fresh = added.filter((item) => item.position > newest);
    if (fresh.length > 0) this.items = [...fresh.toReversed(), ...this.items].slice(0, KEPT_MAX);
    return fresh;
  }
}
