// The dialogs of the shell: one at a time.
class Layers {
  open = $state<'new' | 'palette' | 'keys' | null>(null);
  close = (): void => {
    this.open = null;
  };
}
export const layers = new Layers();
