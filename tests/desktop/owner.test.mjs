// Who owns the store, and what the window does when that changes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as desk from './desk.mjs';

let driver;
before(async () => (driver = await desk.startDriver()));
after(() => driver?.stop());

const card = (task) => `[data-testid="board.card:${task.id}"]`;
const clockIs = (state) => `return document.querySelector('[data-testid=clock]')?.dataset.state ${state}`;

test('a window on a store that a headless owner holds shows its changes, and outlives it', async (t) => {
  const data = desk.dataFolder(t);
  const headless = await desk.startOwner(t, data);
  const window = await desk.openWindow(t, driver, data);
  const { pid } = desk.owner(data);
  const before = await desk.createTask(data, 'Made while attached');
  await window.find(card(before), 1000);

  await headless.stop();
  await desk.eventually('the window owns the store', () => desk.owner(data).pid !== pid);
  await window.until(clockIs(`=== 'live'`));
  const later = await desk.createTask(data, 'Made after the owner ended');
  await window.find(card(later), 1000);
  await window.find(card(before));
  window.pid = desk.owner(data).pid;
});

test('the same when the owner is killed, and again when another takes over', async (t) => {
  const data = desk.dataFolder(t);
  const headless = await desk.startOwner(t, data);
  const window = await desk.openWindow(t, driver, data);
  await headless.kill();
  const task = await desk.eventually('the window owns the store', () => desk.createTask(data, 'After the kill'));
  await window.find(card(task), 1000);
  window.pid = desk.owner(data).pid;
});

test('without a session bus a second window attaches to the first, and both are live', async (t) => {
  const data = desk.dataFolder(t);
  const first = await desk.openWindow(t, driver, data);
  first.pid = desk.owner(data).pid;
  const other = await desk.startDriver();
  t.after(() => other.stop());
  const second = await desk.openWindow(t, other, data);
  const task = await desk.createTask(data, 'Seen in both');
  await first.find(card(task), 1000);
  await second.find(card(task), 1000);

  await first.close();
  const { pid } = await desk.eventually('the second owns the store', () => desk.owner(data).pid !== first.pid && desk.owner(data));
  const later = await desk.createTask(data, 'Seen in the one that is left');
  await second.find(card(later), 1000);
  second.pid = pid;
  assert.ok(desk.alive(pid));
});
