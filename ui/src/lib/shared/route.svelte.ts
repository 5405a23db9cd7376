import { format, parse, type Route, type Tab, type ViewName } from './router';

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

  show(view: ViewName | 'connect'): void {
    const { project } = this;
    this.go(view === 'connect' ? { view, project } : { view, project, task: null, tab: 'overview', from: null, to: null });
  }

  /** From one open task to another the entry is replaced, so that Back closes the drawer. */
  openTask(task: number, tab: Tab = 'overview'): void {
    const view = 'task' in this.route ? this.route.view : 'board';
    const route: Route = { view, project: this.project, task, tab, from: null, to: null };
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
    const view = this.route.view;
    this.go(view === 'connect' ? { view, project } : { view, project, task: null, tab: 'overview', from: null, to: null });
  }

  link(task: number): string {
    return location.href.replace(/#.*$/, '') + this.href(task);
  }
  href(task: number): string {
    return format({ view: 'board', project: this.project, task, tab: 'overview', from: null, to: null });
  }
}

export const place = new Place();
