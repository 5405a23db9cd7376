// Pointer events → the drag machine → a move. HTML drag and drop is not used: the window's engine
// swallows it, and no driver can test it.
import type { TaskStatus } from '../client/types.gen';
import { session } from '../live/session.svelte';
import { t } from '../shared/i18n/i18n.svelte';
import { notices } from '../shared/notices.svelte';
import { type Drag, edgeSpeed, idle, moveTo, type Point, press, target } from './drag';
import { ui } from './ui.svelte';

/** A drop this far from where it began, in the same column, was meant to reorder. */
const REORDER_PX = 48;

class Dragger {
  drag = $state.raw<Drag<number>>(idle);
  over = $state<TaskStatus | null>(null);
  width = 220;
  /** The board's scrolling box and its columns, as they stand in the document. */
  board: HTMLElement | null = null;
  readonly columns = new Map<TaskStatus, HTMLElement>();
  private element: HTMLElement | null = null;
  private pointer = 0;
  private frame = 0;
  private dragged = false;

  start = (event: PointerEvent, id: number): void => {
    if (event.button !== 0 || event.pointerType === 'touch' || this.drag.state !== 'idle') return;
    if (session.readOnly || event.ctrlKey || event.metaKey || event.shiftKey) return;
    this.element = event.currentTarget as HTMLElement;
    this.pointer = event.pointerId;
    this.dragged = false;
    this.drag = press(id, { x: event.clientX, y: event.clientY });
    this.element.addEventListener('pointermove', this.move);
    this.element.addEventListener('pointerup', this.drop);
    this.element.addEventListener('pointercancel', this.cancel);
    addEventListener('keydown', this.key, true);
  };

  /** After a drag the browser still sends a click. */
  swallow(event: Event): boolean {
    if (!this.dragged) return false;
    this.dragged = false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  private readonly move = (event: PointerEvent): void => {
    const before = this.drag.state;
    const drag = moveTo(this.drag, { x: event.clientX, y: event.clientY });
    this.drag = drag;
    if (drag.state !== 'dragging') return;
    if (before !== 'dragging') this.begin(drag.item);
    this.over = this.under(drag.at);
  };

  private begin(id: number): void {
    this.element?.setPointerCapture(this.pointer);
    this.width = this.element?.offsetWidth ?? this.width;
    document.documentElement.dataset['dragging'] = '';
    getSelection()?.removeAllRanges();
    this.dragged = true;
    notices.say(t('drag_started', { id }));
    this.frame = requestAnimationFrame(this.scroll);
  }

  private under(at: Point): TaskStatus | null {
    const boxes = [...this.columns].map(([value, element]) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return { left, right, top, bottom, value };
    });
    return target(boxes, at);
  }

  private readonly scroll = (): void => {
    if (this.drag.state !== 'dragging' || !this.board) return;
    const { left, right } = this.board.getBoundingClientRect();
    const speed = edgeSpeed(this.drag.at.x, left, right);
    if (speed !== 0) {
      this.board.scrollLeft += speed;
      this.over = this.under(this.drag.at);
    }
    this.frame = requestAnimationFrame(this.scroll);
  };

  private readonly drop = (): void => {
    const { drag, over } = this;
    this.end();
    if (drag.state !== 'dragging' || over === null) return;
    const card = session.board.cards.get(drag.item);
    if (!card) return;
    const ids = ui.targets(drag.item);
    if (ids.length > 1 || session.board.columnOf(card) !== over) void ui.move(ids, over);
    else if (Math.abs(drag.at.y - drag.from.y) > REORDER_PX) notices.show('done', t('sorted_hint'));
  };

  private readonly cancel = (): void => {
    const { drag } = this;
    this.end();
    if (drag.state === 'dragging') notices.say(t('drag_cancelled', { id: drag.item }));
  };

  private readonly key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || this.drag.state !== 'dragging') return;
    event.preventDefault();
    event.stopPropagation();
    this.cancel();
  };

  private end(): void {
    cancelAnimationFrame(this.frame);
    removeEventListener('keydown', this.key, true);
    this.element?.removeEventListener('pointermove', this.move);
    this.element?.removeEventListener('pointerup', this.drop);
    this.element?.removeEventListener('pointercancel', this.cancel);
    if (this.element?.hasPointerCapture(this.pointer)) this.element.releasePointerCapture(this.pointer);
    delete document.documentElement.dataset['dragging'];
    this.element = null;
    this.drag = idle;
    this.over = null;
    // The click comes right after the pointer; if it does not, the next one is a real one.
    setTimeout(() => (this.dragged = false), 50);
  }
}

export const dragger = new Dragger();
