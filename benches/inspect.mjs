// The inspector on screen, over a run of a million events (INSPECT_STORE): rows for docs/benchmarks.md.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const require = createRequire(new URL('../ui/package.json', import.meta.url));
const { chromium } = require('playwright-core');
const data = process.env.INSPECT_STORE;
const ready = join(data, 'ready.json');
rmSync(ready, { force: true });
const owner = spawn(process.env.TALLY, ['serve', '--data', data, '--ui', '--ready-file', ready], { stdio: 'ignore' });
while (!existsSync(ready)) await pause(20);
const { ui_url: link } = JSON.parse(readFileSync(ready, 'utf8'));
const origin = new URL(link).origin;
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--enable-precise-memory-info'];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: flags });
const row = (what, measured, goal, met) => console.log(`| ${what} | ${measured} | ${goal} | ${met ? 'yes' : 'NO'} |`);
const at95 = (times) => times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)];
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(link);
  await page.waitForSelector('[data-testid=clock][data-state=live]');
  const runs = await page.evaluate(async () => (await (await fetch('/api/view/runs?params=%7B%22limit%22%3A5000%7D')).json()).runs);
  const run = runs.reduce((a, b) => (a.events > b.events ? a : b));
  await page.goto(`${origin}/#/runs`);
  await page.waitForSelector('[data-testid^="run.row:"]');
  const opened = await page.evaluate(async (id) => {
    const began = performance.now();
    location.hash = `#/run/${id}`;
    while (!document.querySelector('[data-testid^="log.row:"][data-kind]')) await new Promise(requestAnimationFrame);
    return performance.now() - began;
  }, run.id);
  row('run of 1,000,000 events: minimap, lanes and log lines painted after', `${Math.round(opened)} ms`, '< 1,000 ms', opened < 1000);
  await pause(1500);
  const frames = await page.evaluate(async () => {
    const box = document.querySelector('[data-testid="run.lanes"]');
    const times = [];
    let last = performance.now();
    for (let i = 0; i < 150; i += 1) {
      box.dispatchEvent(new WheelEvent('wheel', { deltaY: i % 100 < 60 ? -60 : 80, bubbles: true, cancelable: true }));
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return times;
  });
  row('frames while zooming the timeline of 1,000,000 events, p95 of 150', `${at95(frames).toFixed(1)} ms`, '< 25 ms', at95(frames) < 25);
  const dice = () => 1 + Math.floor(Math.random() * (run.events - 1));
  const until = (script, value) => page.evaluate(async ([script, value]) => {
    const began = performance.now();
    const done = new Function('value', script);
    while (!done(value)) await new Promise(requestAnimationFrame);
    return performance.now() - began;
  }, [script, value]);
  const jumps = [];
  for (let i = 0; i < 20; i += 1) jumps.push(await until(`if (!location.hash.includes('seq=' + value)) location.hash = location.hash.replace(/[?].*/, '') + '?seq=' + value; return document.querySelector('[data-testid="log.row:' + value + '"][data-kind]') !== null`, dice()));
  row('go to any seq: its line on screen, p95 of 20', `${Math.round(at95(jumps))} ms`, '< 150 ms', at95(jumps) < 150);
  await page.goto(`${origin}/#/board?run=${run.id}&at=500000`);
  await page.waitForSelector('[data-testid="replay.digest"]');
  await pause(1000);
  const seeks = [];
  for (let i = 0; i < 20; i += 1) seeks.push(await until(`if (!location.hash.includes('at=' + value)) location.hash = location.hash.replace(/at=[0-9]+/, 'at=' + value); return document.querySelector('[data-testid="replay.moment"] .kind')?.textContent.includes(value.toLocaleString('en'))`, dice()));
  row('replay of a board of 10,000 tasks: seek, p95 of 20', `${Math.round(at95(seeks))} ms`, '< 150 ms', at95(seeks) < 150);
  const heap = await page.evaluate(() => performance.memory.usedJSHeapSize / 2 ** 20);
  row('memory of the page', `${Math.round(heap)} MB`, '< 400 MB', heap < 400);
  const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${owner.pid}/status`, 'utf8'))[1]) / 1024;
  row('owner, resident, after all this', `${Math.round(resident)} MB`, '< 300 MB', resident < 300);
} finally {
  await browser.close();
  owner.kill('SIGTERM');
}
