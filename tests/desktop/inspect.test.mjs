// The run inspector in the real window: bytes and views over the window's own commands.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as desk from './desk.mjs';

let driver;
before(async () => (driver = await desk.startDriver()));
after(() => driver?.stop());

const id = (name) => `[data-testid="${name}"]`;
const here = (selector) => `return document.querySelector('${selector}') !== null`;

/** An agent that errs twice and repairs it: event 3 a wrong word, 4 a stale version, 5 the repair. */
async function errAndRepair(data) {
  await desk.createTask(data, 'Fix the login');
  const update = (expectedVersion, status) => desk.agentCall(data, 'progress_update', { id: '1', expectedVersion, patch: { status } });
  await update(1, 'Done');
  await update(7, 'done');
  await update(1, 'done');
}

async function inspect(t, owned) {
  const data = desk.dataFolder(t);
  if (!owned) await desk.startOwner(t, data);
  const window = await desk.openWindow(t, driver, data);
  if (owned) window.pid = desk.owner(data).pid;
  await errAndRepair(data);
  await window.run(`location.hash = '#/runs'`);
  await window.find('[data-testid^="run.row:"]');
  await window.click('[data-testid^="run.row:"] a');
  await window.find(id('log.row:4'));
  return window;
}

for (const owned of [true, false]) {
  test(`a run is inspected, ${owned ? 'the window owning the store' : 'attached to another owner'}`, async (t) => {
    const window = await inspect(t, owned);
    await window.click(id('log.row:4'));
    await window.until(here('[data-testid="run.event"][data-seq="4"][data-fits=true]'), 3000);
    assert.equal(await window.run('return window.__ui.timeline().selected'), 4);
    await window.until(here('[data-testid="log.row:3"] [data-outcome=repaired]'), 3000);
    await window.click(id('run.tab:rejected'));
    await window.find(id('rejected.chain:3'));
    await window.click(id('rejected.chain:3'));
    await window.find(id('rejected.try:5'));
    await window.click(id('run.tab:verify'));
    await window.until(here('[data-testid="run.verify"][data-state=sound]'), 5000);
  });
}

test('a replay is seen, and the owner refuses a change from it', async (t) => {
  const window = await inspect(t, true);
  await window.click(id('log.row:4'));
  await window.until(here('[data-testid="run.event"][data-seq="4"]'), 3000);
  await window.click(id('event.replay'));
  await window.find(id('replay.banner'));
  await window.find(id('replay.transport'));
  await window.until(`return document.title.startsWith('[REPLAY #4]')`, 2000);
  assert.equal(await window.run(`return document.querySelector('[data-testid="new.open"]').disabled`), true);
  const outcome = await window.run(`return window.__TAURI_INTERNALS__.invoke('call', {
    project: null, tool: 'progress_update', arguments: { id: '1', expectedVersion: 2, patch: { status: 'pending' } }, at: 4 })`);
  assert.equal(outcome.refusal.code, 'POLICY_DENIED');
  await window.click(id('replay.leave'));
  await window.until(`return document.querySelector('[data-testid="replay.banner"]') === null`, 2000);
});
