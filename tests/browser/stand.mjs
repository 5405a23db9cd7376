// What a test in a browser stands on: an owner with a store of its own, the page signed in, and an agent.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const require = createRequire(join(root, 'ui/package.json'));
const { chromium } = require('playwright-core');
export const TALLY = join(root, 'target/debug/tally');
const OUT = join(root, 'tests/out');
const AXE = require.resolve('axe-core/axe.min.js');

const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: FLAGS });
}

export async function eventually(what, test, ms = 10_000) {
  const last = Date.now() + ms;
  let trouble = new Error(`after ${ms} ms still not: ${what}`);
  for (;;) {
    try {
      const value = await test();
      if (value) return value;
    } catch (error) {
      trouble = error;
    }
    if (Date.now() > last) throw trouble;
    await pause(20);
  }
}

/** `tally serve --ui` on a store; on a new one if none is named. */
export async function startOwner(t, data = newFolder(t), ports = []) {
  const ready = join(data, 'ready.json');
  rmSync(ready, { force: true });
  const child = spawn(TALLY, ['serve', '--data', data, '--ui', ...ports, '--ready-file', ready], { stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  child.stderr.on('data', (text) => (told += text));
  const ended = new Promise((done) => child.on('exit', done));
  const stop = async (signal = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  t.after(() => stop());
  await eventually('the owner is ready', () => {
    if (child.exitCode !== null) throw new Error(`the owner ended: ${told}`);
    return existsSync(ready);
  });
  const { mcp_url: mcp, ui_url: link, token_file: tokenFile } = JSON.parse(readFileSync(ready, 'utf8'));
  return { data, link, origin: new URL(link).origin, ports: portsOf(mcp, link), agent: agentOf(mcp, tokenFile), stop };
}

/** The same addresses for the owner after this one. */
const portsOf = (mcp, ui) => ['--port', new URL(mcp).port, '--ui-port', new URL(ui).port];

export function newFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'tallyboard-browser-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return folder;
}

/** An agent with a session of its own, so that its calls are of one run. */
function agentOf(url, tokenFile) {
  let session = null;
  let id = 0;
  const post = async (method, params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session ? { 'mcp-session-id': session } : {}),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method, params }),
    });
    session ??= response.headers.get('mcp-session-id');
    const text = await response.text();
    const line = text.split('\n').findLast((one) => one.startsWith('data: {'));
    return JSON.parse(line ? line.slice(6) : text).result;
  };
  const call = async (name, args) => {
    if (session === null) {
      const clientInfo = { name: 'codex', version: '1.0.0' };
      await post('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    }
    return post('tools/call', { name, arguments: args });
  };
  return {
    call,
    async create(subject, more = {}) {
      return (await call('progress_create', { subject, ...more })).structuredContent.task;
    },
    async read(task) {
      return (await call('progress_get', { id: String(task) })).structuredContent.task;
    },
    /** On top of the present version, whatever that is. */
    async update(task, patch) {
      const read = (await call('progress_get', { id: String(task) })).structuredContent.task;
      return (await call('progress_update', { id: String(task), patch, expectedVersion: read.version })).structuredContent.task;
    },
  };
}

/** A page signed in by the owner's link, with everything that went wrong in it. */
export async function openPage(t, browser, owner, { width = 1440, height = 900, theme, locale = 'en', hash = '', reducedMotion = 'no-preference', axe = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion });
  t.after(() => context.close());
  const page = await context.newPage();
  const wrong = [];
  page.on('pageerror', (error) => wrong.push(String(error.stack)));
  page.on('console', (message) => message.type() === 'error' && /Content Security|TypeError/.test(message.text()) && wrong.push(message.text()));
  t.after(() => {
    if (wrong.length > 0) throw new Error(`in the page: ${wrong.join('\n')}`);
  });
  // axe itself cannot work on the frozen prototypes that the desktop window has.
  if (axe) await page.addInitScript({ path: AXE });
  else await page.addInitScript(() => Object.freeze(Object.prototype));
  await page.addInitScript(([theme, locale]) => {
    if (theme && !localStorage['tallyboard.theme']) localStorage['tallyboard.theme'] = theme;
    if (locale && !localStorage['tallyboard.locale']) localStorage['tallyboard.locale'] = locale;
  }, [theme, locale]);
  await page.goto(owner.link);
  if (hash) await page.goto(`${owner.origin}/${hash}`);
  await page.waitForSelector('[data-testid=clock][data-state=live]');
  page.at = (id) => page.locator(`[data-testid="${id}"]`);
  page.card = (task) => page.locator(`[data-testid="board.card:${task}"]`);
  page.inColumn = (status, task) => page.locator(`[data-testid="board.column:${status}"] [data-testid="board.card:${task}"]`);
  /** Keeps what the page shows, to be looked at. */
  page.keep = async (name) => {
    mkdirSync(OUT, { recursive: true });
    await page.screenshot({ path: join(OUT, `browser-${name}.png`) });
  };
  return page;
}
