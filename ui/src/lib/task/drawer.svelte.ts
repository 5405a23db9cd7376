// What keys and buttons do to the drawer.
import { STATUSES } from '../board/model';
import { ui } from '../board/ui.svelte';
import { session } from '../live/session.svelte';
import { place } from '../shared/route.svelte';
import { open } from './open.svelte';

class Drawer {
  confirming = $state(false);

  /** The next task in the order of the board, column after column. */
  step(by: number): void {
    const { task } = place;
    if (task === null) return;
    const order = STATUSES.flatMap((status) => session.board.columns[status].ids);
    const next = order[order.indexOf(task) + by];
    if (next === undefined) return;
    ui.cursor = next;
    const tab = 'tab' in place.route ? place.route.tab : 'overview';
    place.openTask(next, tab);
  }

  edit(): void {
    if (open.detail?.deleted || session.readOnly) return;
    place.setTab('overview');
    open.begin('subject');
    open.begin('description');
    requestAnimationFrame(() => document.getElementById('edit-subject')?.focus());
  }

  remove(): void {
    if (open.detail && !open.detail.deleted && !session.readOnly) this.confirming = true;
  }
}

export const drawer = new Drawer();
