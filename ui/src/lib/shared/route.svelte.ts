import { format, type Pane, parse, type RejectedRoute, type Route, type RunRoute, type Tab, type ViewName, type ViewRoute } from './router';

class Place {
  route = $state.raw<Route>(parse(''));
  /** How many entries of the history are ours: Back past the first would leave the page. */
  private depth = 0;

  start(): void {
    this.route = parse(location.hash);
    addEventListener('popstate', () => {
      this.route = parse(location.hash);
      this.depth = (history.state as { depth?: number } | null)?.depth ?? 0;
    });
  }

  get project(): string | null {
    return this.route.view === 'unknown' ? null : this.route.project;
  }
  get task(): number | null {
    return 'task' in this.route ? this.route.task : null;
  }

  /** The event that the screen shows, when it shows the past. */
  get at(): number | null {
    return 'at' in this.route ? (this.route.at ?? null) : null;
  }

  go(route: Route): void {
    if (format(route) === format(this.route)) return;
    this.route = route;
    this.depth += 1;
    history.pushState({ depth: this.depth }, '', format(route));
  }

  replace(route: Route): void {
    this.route = route;
    history.replaceState({ depth: this.depth }, '', format(route));
  }

  /** The page of a view with nothing open on it. */
  plain(view: ViewName): ViewRoute {
    return { view, project: this.project, task: null, tab: 'overview', from: null, to: null };
  }

  show(view: ViewName | 'connect' | 'rejected'): void {
    const { project } = this;
    if (view === 'connect') this.go({ view, project });
    else if (view === 'rejected') this.go({ view, project, run: null, seq: null, state: null, group: null });
    else this.go(this.plain(view));
  }

  runRoute(run: string, more: Partial<RunRoute> = {}): RunRoute {
    return { view: 'run', project: this.project, run, pane: 'timeline', seq: null, at: null, find: null, ...more };
  }
  openRun(run: string, more: Partial<RunRoute> = {}): void {
    this.go(this.runRoute(run, more));
  }
  runHref(run: string, seq: number | null = null): string {
    return format(this.runRoute(run, { seq }));
  }
  setPane(pane: Pane): void {
    if (this.route.view === 'run') this.go({ ...this.route, pane });
  }
  /** What is looked at on the page of a run, or among the refused calls: the entry is replaced. */
  look(more: Partial<Omit<RunRoute, 'view'>> | Partial<Omit<RejectedRoute, 'view'>>): void {
    const { route } = this;
    if (route.view === 'run' || route.view === 'rejected') this.replace({ ...route, ...more } as Route);
  }
  /** Into the past, along it, and back (`null`). */
  setAt(at: number | null, run: string | null = null): void {
    const { route } = this;
    const inside = this.at !== null && at !== null;
    const next: Route | null =
      route.view === 'run' ? { ...route, at } : route.view === 'board' ? { ...this.plain('board'), ...(at === null ? {} : { at, run: run ?? route.run ?? null }) } : null;
    if (next === null) return;
    if (inside) this.replace(next);
    else this.go(next);
  }

  /** From one open task to another the entry is replaced, so that Back closes the drawer. */
  openTask(task: number, tab: Tab = 'overview'): void {
    const here = 'task' in this.route ? this.route : this.plain('board');
    const route: Route = { ...here, task, tab, from: null, to: null };
    if (this.task === null) this.go(route);
    else this.replace(route);
  }

  setTab(tab: Tab): void {
    if ('task' in this.route) this.replace({ ...this.route, tab, from: null, to: null });
  }
  setCompare(from: number | null, to: number | null): void {
    if ('task' in this.route) this.replace({ ...this.route, from, to });
  }

  closeTask(): void {
    if (this.task === null || !('task' in this.route)) return;
    if (this.depth > 0) history.back();
    else this.replace({ ...this.route, task: null, tab: 'overview', from: null, to: null });
  }

  setProject(project: string): void {
    if (this.route.view === 'unknown') return;
    const { view } = this.route;
    if (view === 'connect') this.go({ view, project });
    else if (view === 'rejected') this.go({ view, project, run: null, seq: null, state: null, group: null });
    else this.go({ ...this.plain(view === 'run' ? 'runs' : view), project });
  }

  link(task: number): string {
    return location.href.replace(/#.*$/, '') + this.href(task);
  }
  href(task: number): string {
    return format({ view: 'board', project: this.project, task, tab: 'overview', from: null, to: null });
  }
}

export const place = new Place();
