// From the answer that a commit gets to the painted frame that shows it, in Chromium, while ten
// agents write. Prints Markdown rows for `./dev bench`.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const require = createRequire(new URL('../ui/package.json', import.meta.url));
const { chromium } = require('playwright-core');
const tally = process.env.TALLY;
const AGENTS = 10;
const SAMPLES = 300;
const CHROMIUM = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const now = () => performance.timeOrigin + performance.now();

class Agent {
  constructor(url, token, name) {
    Object.assign(this, { url, name, id: 0 });
    this.headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  }
  async rpc(method, params) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.id, method, params });
    const response = await fetch(this.url, { method: 'POST', headers: this.headers, body });
    const session = response.headers.get('mcp-session-id');
    if (session) this.headers['mcp-session-id'] = session;
    const answer = await response.json();
    if (answer.error) throw new Error(JSON.stringify(answer.error));
    return answer.result;
  }
  open() {
    return this.rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: this.name, version: '1' } });
  }
  async call(tool, args) {
    const result = await this.rpc('tools/call', { name: tool, arguments: args });
    if (result.isError) throw new Error(result.content[0].text);
    return result.structuredContent;
  }
}

async function fill(url, token, tasks) {
  const agents = Array.from({ length: 16 }, (_, i) => new Agent(url, token, `filler-${i}`));
  let made = 0;
  await Promise.all(agents.map(async (agent) => {
    await agent.open();
    while (made < tasks) {
      made += 1;
      await agent.call('progress_create', { subject: `Task number ${made} of a large project` });
    }
  }));
}

/** In the page: remembers when each version of each card was painted. */
function watch() {
  window.painted = {};
  const seen = new Set();
  const note = (card) => {
    const key = `${card.dataset.testid.split(':')[1]}:${card.dataset.version}`;
    if (seen.has(key)) return;
    seen.add(key);
    requestAnimationFrame(() => {
      // The message arrives after the frame of this callback was drawn.
      const after = new MessageChannel();
      after.port1.onmessage = () => { window.painted[key] = performance.timeOrigin + performance.now(); };
      after.port2.postMessage(0);
    });
  };
  new MutationObserver((records) => {
    for (const { target } of records) if (target.dataset?.testid?.startsWith('board.card:')) note(target);
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ['data-version'] });
}

async function measure(browser, tasks) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tally-paint-'));
  const file = path.join(dir, 'ready.json');
  const owner = spawn(tally, ['serve', '--ui', '--port', '0', '--ui-port', '0', '--data', path.join(dir, 'data'), '--ready-file', file], { stdio: 'ignore' });
  try {
    while (!fs.existsSync(file)) await sleep(20);
    const ready = JSON.parse(fs.readFileSync(file, 'utf8'));
    const token = fs.readFileSync(ready.token_file, 'utf8').trim();
    await fill(ready.mcp_url, token, tasks);
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(ready.ui_url);
    await page.waitForSelector('[data-testid^="board.card:"]');
    await sleep(500);
    await page.evaluate(watch);
    const shown = await page.$$eval('[data-testid^="board.card:"]', (cards) => cards
      .filter((card) => { const box = card.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; })
      .map((card) => Number(card.dataset.testid.split(':')[1])));
    const answered = {};
    let count = 0;
    await Promise.all(Array.from({ length: AGENTS }, async (_, i) => {
      const agent = new Agent(ready.mcp_url, token, `agent-${i}`);
      await agent.open();
      const mine = shown.filter((_, n) => n % AGENTS === i);
      if (mine.length === 0) return;
      while (count < SAMPLES) {
        count += 1;
        const id = mine[count % mine.length];
        const { task } = await agent.call('progress_get', { id: String(id) });
        const changed = await agent.call('progress_update', { id: String(id), expectedVersion: task.version, patch: { subject: `Task ${id}, change ${count}` } });
        answered[`${id}:${changed.task.version}`] = now();
        // Ten busy agents: about twenty changes a second.
        await sleep(250 + Math.random() * 500);
      }
    }));
    await sleep(500);
    const painted = await page.evaluate(() => window.painted);
    await page.close();
    // A version that was overtaken within one frame is never drawn: it has no sample.
    const took = Object.entries(answered).filter(([key]) => painted[key]).map(([key, at]) => Math.max(0, painted[key] - at)).sort((a, b) => a - b);
    return { p50: took[Math.floor(took.length / 2)], p95: took[Math.floor(took.length * 0.95)], n: took.length };
  } finally {
    owner.kill();
    await new Promise((done) => owner.once('exit', done));
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: CHROMIUM });
for (const [tasks, goal] of [[1000, 25], [10000, 40]]) {
  const { p50, p95, n } = await measure(browser, tasks);
  console.log(`| commit answered → painted frame, 10 agents, 20 changes a second, ${tasks.toLocaleString('en')} tasks, p95 of ${n} | ${p95.toFixed(1)} ms (p50 ${p50.toFixed(1)}) | < ${goal} ms | ${p95 < goal ? 'yes' : 'NO'} |`);
}
await browser.close();
