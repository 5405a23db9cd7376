// The icons in use, as one sprite: a card then costs a `<use>`, not a component for each line of a drawing.
import {
  Activity, Ban, Bot, ChevronDown, ChevronLeft, ChevronRight, ChevronUp, Circle, CircleCheck, Copy, Ellipsis, FilePlus2, Hand, Hash,
  History, Inbox, Keyboard, Languages, Link, Lock, Monitor, Moon, PanelRight, Pause, Pencil, Play, Plug, Plus, RotateCcw, Rows3,
  Search, Server, ShieldX, SlidersHorizontal, Contrast, Sun, Trash2, TriangleAlert, Undo2, User, WifiOff, X, Check, ListTree, Columns3, ChevronFirst, ChevronLast, GitCompareArrows, FolderInput,
} from 'lucide';

export const ICONS = {
  activity: Activity, ban: Ban, bot: Bot, 'chevron-down': ChevronDown, 'chevron-left': ChevronLeft, 'chevron-right': ChevronRight,
  'chevron-up': ChevronUp, circle: Circle, 'circle-check': CircleCheck, copy: Copy, ellipsis: Ellipsis, 'file-plus': FilePlus2, hand: Hand,
  hash: Hash, history: History, inbox: Inbox, keyboard: Keyboard, languages: Languages, link: Link, lock: Lock, monitor: Monitor,
  moon: Moon, 'panel-right': PanelRight, pause: Pause, pencil: Pencil, play: Play, plug: Plug, plus: Plus, 'rotate-ccw': RotateCcw,
  rows: Rows3, search: Search, server: Server, 'shield-x': ShieldX, sliders: SlidersHorizontal, contrast: Contrast, sun: Sun,
  trash: Trash2, alert: TriangleAlert, undo: Undo2, user: User, 'wifi-off': WifiOff, x: X, check: Check, tree: ListTree, columns: Columns3, first: ChevronFirst, last: ChevronLast, compare: GitCompareArrows, 'folder-input': FolderInput, FolderInput,
};
export type IconName = keyof typeof ICONS;

const SVG = 'http://www.w3.org/2000/svg';

/** Puts the sprite into the page; `<Icon>` refers to it. */
export function installIcons(): void {
  const sprite = document.createElementNS(SVG, 'svg');
  sprite.setAttribute('class', 'sprite');
  sprite.setAttribute('aria-hidden', 'true');
  for (const [name, nodes] of Object.entries(ICONS)) {
    const symbol = document.createElementNS(SVG, 'symbol');
    symbol.id = `i-${name}`;
    symbol.setAttribute('viewBox', '0 0 24 24');
    for (const [tag, attributes] of nodes) {
      const node = document.createElementNS(SVG, tag);
      for (const [key, value] of Object.entries(attributes)) if (value !== undefined) node.setAttribute(key, String(value));
      symbol.append(node);
    }
    sprite.append(symbol);
  }
  document.body.prepend(sprite);
}
