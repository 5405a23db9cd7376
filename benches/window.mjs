// How soon the real window is painted, and what it costs while nothing happens. Under a WebDriver;
// prints Markdown rows for `./dev bench`.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentCall, endProcess, owner, startDriver } from '../tests/desktop/desk.mjs';
import { openSession } from '../tests/desktop/webdriver.mjs';

const application = process.env.TALLYBOARD;
const TICKS = 100;

/** When a process started, in milliseconds of the Unix epoch. */
function started(pid) {
  const boot = Number(/^btime (\d+)$/m.exec(fs.readFileSync('/proc/stat', 'utf8'))[1]);
  const uptime = Number(fs.readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  const ticks = Number(fields(pid)[19]);
  // btime has seconds only; now minus the time since start has hundredths.
  const now = Date.now();
  return Math.abs(now - uptime * 1000 - boot * 1000) < 2000 ? now - (uptime - ticks / TICKS) * 1000 : boot * 1000 + ticks * 10;
}

function fields(pid) {
  return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
}

/** Processor seconds of a process and all it started. */
function cpu(pid) {
  const all = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
  const parent = new Map();
  for (const one of all) try { parent.set(one, Number(fields(one)[1])); } catch { /* It ended. */ }
  const ours = (one) => one === pid || (parent.has(one) && parent.get(one) > 1 && ours(parent.get(one)));
  return all.filter(ours).reduce((sum, one) => {
    try { return sum + (Number(fields(one)[11]) + Number(fields(one)[12])) / TICKS; } catch { return sum; }
  }, 0);
}

const driver = await startDriver();
const took = [];
for (let round = 0; round < 5; round += 1) {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'tally-window-'));
  const window = await openSession(driver.url, application, ['--data', data]);
  await window.until(`return document.querySelector('[data-testid=clock]')?.dataset.state === 'live'`, 20_000);
  // The window owns the store, so it is the owner that announced itself.
  const { pid } = owner(data);
  const painted = await window.run(`const [paint] = performance.getEntriesByName('first-contentful-paint'); return performance.timeOrigin + paint.startTime`);
  took.push(painted - started(pid));
  if (round === 4) {
    for (let i = 0; i < 100; i += 1) await agentCall(data, 'progress_create', { subject: `Task ${i}` });
    // Idle is when the last change is so old that its age on the cards no longer counts seconds.
    await sleep(65_000);
    const before = cpu(pid);
    await sleep(20_000);
    const share = ((cpu(pid) - before) / 20) * 100;
    console.log(`| window and owner, processor while idle, 100 tasks | ${share.toFixed(2)} % | < 1 % | ${share < 1 ? 'yes' : 'NO'} |`);
  }
  await endProcess(pid);
  await window.end().catch(() => {});
  fs.rmSync(data, { recursive: true, force: true });
}
took.sort((a, b) => a - b);
console.log(`| process start → window painted, p50 of 5 | ${took[2].toFixed(0)} ms | < 1000 ms | ${took[2] < 1000 ? 'yes' : 'NO'} |`);
await driver.stop();
