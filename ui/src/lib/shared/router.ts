// Every state of the screen has an address behind the `#`; the same text serves a browser and the window.
export const VIEWS = ['board', 'runs', 'trash'] as const;
export type ViewName = (typeof VIEWS)[number];
export const TABS = ['overview', 'history', 'refused'] as const;
export type Tab = (typeof TABS)[number];

export type Route =
  | { view: ViewName; project: string | null; task: number | null; tab: Tab; from: number | null; to: number | null }
  | { view: 'connect'; project: string | null }
  | { view: 'unknown'; asked: string };

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
  if (more.length > 0) return { view: 'unknown', asked };
  if (name === 'connect') return { view: 'connect', project };
  const view = VIEWS.find((known) => known === name);
  if (!view) return { view: 'unknown', asked };
  const task = whole(params.get('task'));
  const tab = TABS.find((known) => known === params.get('tab')) ?? 'overview';
  return { view, project, task, tab, from: whole(params.get('from')), to: whole(params.get('to')) };
}

export function format(route: Route): string {
  if (route.view === 'unknown') return `#${route.asked}`;
  const base = route.project === null ? '#/' : `#/p/${encodeURIComponent(route.project)}/`;
  if (route.view === 'connect' || route.task === null) return base + route.view;
  const params = new URLSearchParams({ task: String(route.task) });
  if (route.tab !== 'overview') params.set('tab', route.tab);
  if (route.from !== null) params.set('from', String(route.from));
  if (route.to !== null) params.set('to', String(route.to));
  return `${base}${route.view}?${params}`;
}
