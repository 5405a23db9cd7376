// Which keys there are, as they are shown and as they work.
import { session } from '../live/session.svelte';
import { transport } from '../replay/keys.svelte';
import { copy } from '../shared/copy';
import type { Key } from '../shared/i18n/en';
import { type Binding, Keymap } from '../shared/keymap';
import { prefs } from '../shared/prefs.svelte';
import { place } from '../shared/route.svelte';
import { changes } from '../task/changes.svelte';
import { drawer } from '../task/drawer.svelte';
import { ui } from '../board/ui.svelte';
import { rejectedKeys, runKeys } from './inspectKeys';
import { layers } from './layers.svelte';

export const HELP: { title: Key; keys: [string[], Key][] }[] = [
  {
    title: 'keys_global',
    keys: [
      [['Ctrl', 'K'], 'k_palette'], [['/'], 'k_search'], [['C'], 'k_new'], [['G', 'B R U T C'], 'k_go'], [['Y', 'L'], 'k_copy_link'],
      [['Y', 'I'], 'k_copy_id'], [['Shift', 'P'], 'k_pause'], [['Ctrl', 'Z'], 'k_undo'], [['F6'], 'k_region'], [['Esc'], 'k_back'], [['?'], 'k_keys'],
    ],
  },
  {
    title: 'keys_board',
    keys: [
      [['↑ ↓ ← →'], 'k_move_focus'], [['J', 'K'], 'k_move_focus'], [['Enter'], 'k_open'], [['X'], 'k_select'], [['Shift', 'J K'], 'k_extend'],
      [['S'], 'k_status'], [['M'], 'k_move'], [['Alt', '← →'], 'k_move_card'], [['E'], 'k_edit'], [['U'], 'k_held'],
    ],
  },
  {
    title: 'keys_run',
    keys: [
      [['W', 'S'], 'k_zoom'], [['A', 'D'], 'k_pan'], [['F'], 'k_fit'], [['J', 'K'], 'k_row'], [[', .'], 'k_in_lane'], [['N', 'Shift N'], 'k_match'],
      [['R', 'Shift R'], 'k_refusal'], [['[ ]'], 'k_edges'], [['Home', 'End'], 'k_ends'], [['#'], 'k_goto'], [['Q'], 'k_detail'], [['T'], 'k_time'],
    ],
  },
  {
    title: 'keys_replay',
    keys: [[['Space'], 'k_play'], [[', .'], 'k_step'], [['< >'], 'k_step_10'], [['R', 'Shift R'], 'k_refusal'], [['1 … 9'], 'k_part'], [['- +'], 'k_speed'], [['Shift', 'L'], 'k_leave']],
  },
  { title: 'keys_rejected', keys: [[['J', 'K'], 'k_row'], [['Enter'], 'k_open_run'], [['O'], 'k_outcome']] },
  { title: 'keys_drawer', keys: [[['K', 'J'], 'k_prev_next'], [['E'], 'k_edit'], [['Ctrl', 'Enter'], 'k_save'], [['Delete'], 'k_delete']] },
];

const about = () => place.task ?? ui.cursor;

/** One layer back. */
function back(): void {
  if (layers.open) layers.close();
  else if (place.task !== null) place.closeTask();
  else if (ui.selected.size > 0) ui.clear();
}

function nextRegion(step: number): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')];
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const next = regions[(at + step + regions.length) % regions.length];
  next?.querySelector<HTMLElement>('[tabindex="0"], a[href]:not([tabindex="-1"]), button:not([tabindex="-1"]):not(:disabled)')?.focus();
}

const newTask = () => {
  if (session.phase === 'ready' && !session.readOnly) layers.open = 'new';
};

const everywhere: Binding[] = [
  { keys: 'Ctrl+K', run: () => (layers.open = 'palette'), inFields: true },
  { keys: '/', run: () => (layers.open = 'palette') },
  { keys: '?', run: () => (layers.open = 'keys') },
  { keys: 'C', run: newTask },
  { keys: 'G B', run: () => place.show('board') },
  { keys: 'G R', run: () => place.show('runs') },
  { keys: 'G T', run: () => place.show('trash') },
  { keys: 'G C', run: () => place.show('connect') },
  { keys: 'G U', run: () => place.show('rejected') },
  { keys: 'Shift+L', run: () => place.setAt(null) },
  { keys: 'Y L', run: () => { const id = about(); void copy(id === null ? location.href : place.link(id)); } },
  { keys: 'Y I', run: () => { const id = about(); if (id !== null) void copy(`#${id}`); } },
  { keys: 'Shift+P', run: () => session.setPaused(!session.paused) },
  { keys: 'Ctrl+Z', run: () => void changes.undo() },
  { keys: 'F6', run: () => nextRegion(1), inFields: true },
  { keys: 'Shift+F6', run: () => nextRegion(-1), inFields: true },
  { keys: 'Escape', run: back },
];

const board: Binding[] = [
  { keys: 'ArrowUp', run: () => ui.step(0, -1) },
  { keys: 'ArrowDown', run: () => ui.step(0, 1) },
  { keys: 'ArrowLeft', run: () => ui.step(-1, 0) },
  { keys: 'ArrowRight', run: () => ui.step(1, 0) },
  { keys: 'K', run: () => ui.step(0, -1) },
  { keys: 'J', run: () => ui.step(0, 1) },
  { keys: 'Home', run: () => ui.ends(false) },
  { keys: 'End', run: () => ui.ends(true) },
  { keys: 'Space', run: () => ui.open() },
  { keys: 'X', run: () => ui.toggle(ui.cursor) },
  { keys: 'Shift+J', run: () => ui.extend(1) },
  { keys: 'Shift+K', run: () => ui.extend(-1) },
  { keys: 'Ctrl+A', run: () => ui.all() },
  { keys: 'M', run: () => ui.openMenu() },
  { keys: 'S', run: () => ui.openMenu() },
  { keys: 'Alt+ArrowLeft', run: () => ui.moveBy(-1) },
  { keys: 'Alt+ArrowRight', run: () => ui.moveBy(1) },
  { keys: 'U', run: () => ui.apply() },
  { keys: 'E', run: () => { ui.open(); setTimeout(() => drawer.edit(), 50); } },
];

const inDrawer: Binding[] = [
  { keys: 'K', run: () => drawer.step(-1) },
  { keys: 'J', run: () => drawer.step(1) },
  { keys: 'E', run: () => drawer.edit() },
  { keys: 'Delete', run: () => drawer.remove() },
  { keys: 'S', run: () => document.querySelector<HTMLElement>('[data-testid="drawer.status"]')?.click() },
];

const inRun: Binding[] = [
  { keys: 'W', run: () => runKeys.now?.zoom(0.6) },
  { keys: 'S', run: () => runKeys.now?.zoom(1 / 0.6) },
  { keys: 'A', run: () => runKeys.now?.pan(-0.25) },
  { keys: 'D', run: () => runKeys.now?.pan(0.25) },
  { keys: 'F', run: () => runKeys.now?.fit() },
  { keys: 'J', run: () => runKeys.now?.step(1) },
  { keys: 'K', run: () => runKeys.now?.step(-1) },
  { keys: '.', run: () => runKeys.now?.inLane(1) },
  { keys: ',', run: () => runKeys.now?.inLane(-1) },
  { keys: 'N', run: () => runKeys.now?.match(1) },
  { keys: 'Shift+N', run: () => runKeys.now?.match(-1) },
  { keys: 'R', run: () => runKeys.now?.refusal(1) },
  { keys: 'Shift+R', run: () => runKeys.now?.refusal(-1) },
  { keys: '[', run: () => runKeys.now?.edge('from') },
  { keys: ']', run: () => runKeys.now?.edge('to') },
  { keys: 'Home', run: () => runKeys.now?.end(false) },
  { keys: 'End', run: () => runKeys.now?.end(true) },
  { keys: 'Q', run: () => runKeys.now?.detail() },
  { keys: '#', run: () => runKeys.now?.goto() },
  { keys: 'T', run: () => prefs.setRelativeTime(!prefs.relativeTime) },
];

const inReplay: Binding[] = [
  { keys: 'Space', run: () => transport.now?.toggle() },
  { keys: '.', run: () => transport.now?.step(1) },
  { keys: ',', run: () => transport.now?.step(-1) },
  { keys: '>', run: () => transport.now?.step(10) },
  { keys: '<', run: () => transport.now?.step(-10) },
  { keys: 'R', run: () => transport.now?.refusal(1) },
  { keys: 'Shift+R', run: () => transport.now?.refusal(-1) },
  { keys: '+', run: () => transport.now?.faster(1) },
  { keys: '-', run: () => transport.now?.faster(-1) },
  ...Array.from({ length: 9 }, (_, i) => ({ keys: String(i + 1), run: () => transport.now?.part((i + 1) / 10) })),
];

const inRejected: Binding[] = [
  { keys: 'J', run: () => rejectedKeys.panel?.step(1) },
  { keys: 'K', run: () => rejectedKeys.panel?.step(-1) },
  { keys: 'O', run: () => rejectedKeys.panel?.cycle() },
  { keys: 'Enter', run: () => { const chain = rejectedKeys.panel?.current(); if (chain) place.openRun(chain.run, { seq: chain.seq }); } },
];

const maps = { everywhere: new Keymap(everywhere), board: new Keymap(board), drawer: new Keymap(inDrawer), run: new Keymap(inRun), replay: new Keymap(inReplay), rejected: new Keymap(inRejected) };

export function handleKey(event: KeyboardEvent): void {
  // A dialog or a menu has its own keys.
  if (document.querySelector('dialog[open], [role="menu"]')) return;
  const target = event.target instanceof Element ? event.target : null;
  const inside = target?.closest('[data-testid="drawer"]');
  // Space and Enter press the button or follow the link that has the focus.
  const pressing = target?.matches('button, a, select') && !target.matches('[data-card]') && (event.key === ' ' || event.key === 'Enter');
  const typing = target?.matches('[role="tab"], [role="tabpanel"], .scroll, .list') && /^(Arrow|Home|End| )/.test(event.key);
  if (!pressing && !typing) {
    if (place.task !== null && (inside || !target?.matches('[data-card]')) && maps.drawer.handle(event)) return;
    if (!inside && place.at !== null && transport.now && maps.replay.handle(event)) return;
    if (place.route.view === 'run' && runKeys.now && maps.run.handle(event)) return;
    if (place.route.view === 'rejected' && maps.rejected.handle(event)) return;
    if (!inside && place.route.view === 'board' && maps.board.handle(event)) return;
  }
  maps.everywhere.handle(event);
}
