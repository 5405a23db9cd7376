// One clock for all relative times on the screen: it ticks once a second, and not in a hidden window.
class Clock {
  now = $state(Date.now());
  private timer: ReturnType<typeof setInterval> | undefined;

  start(): void {
    const run = () => {
      clearInterval(this.timer);
      if (document.hidden) return;
      this.now = Date.now();
      this.timer = setInterval(() => (this.now = Date.now()), 1000);
    };
    document.addEventListener('visibilitychange', run);
    run();
  }
}

export const clock = new Clock();
