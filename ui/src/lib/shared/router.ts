// Every state of the screen has an address behind the `#`; the same text serves a browser and the window.
export const VIEWS = ['board', 'runs', 'trash'] as const;
export type ViewName = (typeof VIEWS)[number];
export const TABS = ['overview', 'history', 'refused'] as const;
export type Tab = (typeof TABS)[number];

/** The parts of a run's page. */
export const PANES = ['timeline', 'log', 'rejected', 'tasks', 'verify', 'json'] as const;
export type Pane = (typeof PANES)[number];

export interface ViewRoute {
  view: ViewName;
  project: string | null;
  task: number | null;
  tab: Tab;
  from: number | null;
  to: number | null;
  /** The board as it was after this event: of `run`, or a position of the store. */
  at?: number | null;
  run?: string | null;
  /** Two runs to be compared. */
  cmp?: string | null;
}

export interface RunRoute {
  view: 'run';
  project: string | null;
  run: string;
  pane: Pane;
  seq: number | null;
  at: number | null;
  find: string | null;
  /** The window of the timeline: its first and last event. */
  span?: [number, number] | null;
}

export interface RejectedRoute {
  view: 'rejected';
  project: string | null;
  run: string | null;
  seq: number | null;
  state: string | null;
  group: string | null;
}

export type Route = ViewRoute | RunRoute | RejectedRoute | { view: 'connect'; project: string | null } | { view: 'unknown'; asked: string };

const whole = (text: string | null): number | null => (text !== null && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null);

export function parse(hash: string): Route {
  const asked = hash.replace(/^#/, '');
  const [path = '', query = ''] = asked.split('?', 2);
  const params = new URLSearchParams(query);
  const parts = path.split('/').filter((part) => part !== '');
  let project: string | null = null;
  if (parts[0] === 'p' && parts[1] !== undefined) {
    try {
      project = decodeURIComponent(parts[1]);
    } catch {
      return { view: 'unknown', asked };
    }
    parts.splice(0, 2);
  }
  const [name = 'board', ...more] = parts;
  const [run] = more;
  if (name === 'run' && run !== undefined && more.length === 1 && /^[0-9a-f-]{4,36}$/i.test(run)) {
    const pane = PANES.find((known) => known === params.get('tab')) ?? 'timeline';
    const [first, last] = [whole(params.get('t0')), whole(params.get('t1'))];
    const span: { span?: [number, number] } = first !== null && last !== null && first < last ? { span: [first, last] } : {};
    return { view: 'run', project, run, pane, seq: whole(params.get('seq')), at: whole(params.get('at')), find: params.get('f'), ...span };
  }
  if (more.length > 0) return { view: 'unknown', asked };
  if (name === 'connect') return { view: 'connect', project };
  if (name === 'rejected') {
    return { view: name, project, run: params.get('run'), seq: whole(params.get('seq')), state: params.get('state'), group: params.get('group') };
  }
  const view = VIEWS.find((known) => known === name);
  if (!view) return { view: 'unknown', asked };
  const task = whole(params.get('task'));
  const tab = TABS.find((known) => known === params.get('tab')) ?? 'overview';
  const at = view === 'board' ? whole(params.get('at')) : null;
  const extra = { ...(at === null ? {} : { at, run: params.get('run') }), ...(view === 'runs' && params.has('cmp') ? { cmp: params.get('cmp') } : {}) };
  return { view, project, task, tab, from: whole(params.get('from')), to: whole(params.get('to')), ...extra };
}

/** The address of a page with what is not empty. */
function address(path: string, values: Record<string, string | number | null | undefined>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== null && value !== undefined && value !== '') params.set(name, String(value));
  const query = params.toString();
  return query === '' ? path : `${path}?${query}`;
}

export function format(route: Route): string {
  if (route.view === 'unknown') return `#${route.asked}`;
  const base = route.project === null ? '#/' : `#/p/${encodeURIComponent(route.project)}/`;
  if (route.view === 'connect') return base + route.view;
  if (route.view === 'run') {
    const { pane, seq, at, find, span } = route;
    return address(`${base}run/${route.run}`, { tab: pane === 'timeline' ? null : pane, seq, at, t0: span?.[0], t1: span?.[1], f: find });
  }
  if (route.view === 'rejected') return address(`${base}rejected`, { run: route.run, seq: route.seq, state: route.state, group: route.group });
  const { task, tab, from, to, at, run, cmp } = route;
  const drawer = task === null ? {} : { task, tab: tab === 'overview' ? null : tab, from, to };
  return address(base + route.view, { ...drawer, run: at ? run : null, at, cmp });
}
