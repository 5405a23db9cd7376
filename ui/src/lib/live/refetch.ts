// One request in flight; what is asked for meanwhile becomes one more after it.
export class Refetch {
  private running: Promise<void> | null = null;
  private again = false;
  private readonly load: () => Promise<void>;

  constructor(load: () => Promise<void>) {
    this.load = load;
  }

  ask(): void {
    if (this.running) this.again = true;
    else this.running = this.run();
  }

  get busy(): boolean {
    return this.running !== null;
  }

  private async run(): Promise<void> {
    try {
      do {
        this.again = false;
        await this.load();
      } while (this.again);
    } finally {
      this.running = null;
    }
  }
}

/** At once, and then not before `gap` has passed: for what may lag a little. */
export function throttled(gapMs: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wanted = false;
  const turn = () => {
    timer = undefined;
    if (!wanted) return;
    wanted = false;
    run();
    timer = setTimeout(turn, gapMs);
  };
  return () => {
    wanted = true;
    if (timer === undefined) turn();
  };
}
