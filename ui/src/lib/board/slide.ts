// Cards that changed their place in a column slide there. Between times they have no transform: a
// hundred of those make every frame dearer.
const SLIDE_MS = 160;
const SLIDES_MAX = 20;

export function slide(column: HTMLElement, before: ReadonlyMap<number, number>, rows: readonly { id: number; at: number }[], rowHeight: number): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const moved = rows.filter(({ id, at }) => (before.get(id) ?? at) !== at);
  if (moved.length > SLIDES_MAX) return;
  for (const { id, at } of moved) {
    const by = ((before.get(id) ?? at) - at) * rowHeight;
    const options = { duration: SLIDE_MS, easing: 'cubic-bezier(0.2, 0, 0, 1)' };
    column.querySelector(`[data-row="${id}"]`)?.animate?.([{ transform: `translateY(${by}px)` }, { transform: 'none' }], options);
  }
}
