// What the tests' document lacks.
import { vi } from 'vitest';

vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }));
vi.stubGlobal('ResizeObserver', class {
  observe() { return; }
  unobserve() { return; }
  disconnect() { return; }
});
vi.stubGlobal('DOMRect', class {
  constructor(public x = 0, public y = 0, public width = 0, public height = 0) {}
  get left() { return this.x; }
  get top() { return this.y; }
  get right() { return this.x + this.width; }
  get bottom() { return this.y + this.height; }
});
