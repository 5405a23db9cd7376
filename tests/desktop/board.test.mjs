// A person at the board, in the real window, while an agent works on it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as desk from './desk.mjs';

let driver;
before(async () => (driver = await desk.startDriver()));
after(() => driver?.stop());

const ALT = '\uE00A';
const RIGHT = '\uE014';
const CONTROL = '\uE009';

const id = (name) => `[data-testid="${name}"]`;
const card = (task) => id(`board.card:${task.id}`);
const statusIs = (task, status) => `return document.querySelector('${card(task)}')?.dataset.status === '${status}'`;

async function open(t) {
  const data = desk.dataFolder(t);
  const window = await desk.openWindow(t, driver, data);
  window.pid = desk.owner(data).pid;
  return { data, window };
}

/** The middle of an element, in the page. */
function middle(window, selector) {
  return window.run(`const box = document.querySelector(arguments[0]).getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };`, selector);
}

test('what an agent does is on the board within a second', async (t) => {
  const { data, window } = await open(t);
  await window.find(id('empty'));
  const task = await desk.createTask(data, 'Write the parser');
  await window.find(card(task), 1000);
  const text = await window.run(`return document.querySelector('${card(task)}').textContent`);
  assert.match(text, /Write the parser/);
  const change = { id: String(task.id), expectedVersion: task.version, patch: { status: 'in_progress' } };
  assert.ok(!(await desk.agentCall(data, 'progress_update', change)).isError);
  await window.until(statusIs(task, 'in_progress'), 1000);
});

test('a refused call is shown with what the agent was told', async (t) => {
  const { data, window } = await open(t);
  const task = await desk.createTask(data, 'Refuse me');
  const refused = await desk.agentCall(data, 'progress_update', { id: String(task.id), expectedVersion: 1, patch: { status: 'Done' } });
  assert.ok(refused.isError);
  await window.find('[data-testid^="strip.item:"][data-code="INVALID_INPUT"]', 1000);
  await window.click('[data-testid^="strip.item:"][data-code="INVALID_INPUT"]');
  await window.find(id('drawer'));
});

test('a click opens the drawer, and a new title is saved', async (t) => {
  const { data, window } = await open(t);
  const task = await desk.createTask(data, 'Old title');
  await window.click(card(task));
  await window.find(id('drawer'));
  await window.click(id('edit:subject'));
  await window.run(`document.querySelector('#edit-subject').select()`);
  await window.type('#edit-subject', 'New title');
  await window.click(id('save'));
  const saved = await desk.eventually('the title is saved', async () => {
    const now = await desk.readTask(data, task.id);
    return now.subject === 'New title' && now;
  });
  assert.equal(saved.version, task.version + 1);
  await window.until(`return document.querySelector('${card(task)}').textContent.includes('New title')`);
});

test('a link to a task opens it, also when the page is loaded anew', async (t) => {
  const { data, window } = await open(t);
  const task = await desk.createTask(data, 'Linked to', { description: 'Seen after the load' });
  await window.find(card(task));
  await window.run(`window.__before = true; location.hash = '#/board?task=${task.id}'; location.reload()`);
  await window.until(`return !window.__before && document.querySelector('[data-testid=drawer]')?.textContent.includes('Seen after the load')`, 10_000);
});

test('a card is moved by the pointer', async (t) => {
  const { data, window } = await open(t);
  const task = await desk.createTask(data, 'Drag me');
  await window.find(card(task));
  await window.drag(await middle(window, card(task)), await middle(window, id('board.column:in_progress')));
  await desk.eventually('the store has it', async () => (await desk.readTask(data, task.id)).status === 'in_progress');
  await window.until(statusIs(task, 'in_progress'));
});

test('a card is moved by Alt and an arrow', async (t) => {
  const { data, window } = await open(t);
  const task = await desk.createTask(data, 'Move me');
  await window.find(card(task));
  await window.run(`document.querySelector('${card(task)}').focus()`);
  await window.keys(ALT, RIGHT);
  await desk.eventually('the store has it', async () => (await desk.readTask(data, task.id)).status === 'in_progress');
  await window.until(statusIs(task, 'in_progress'));
});

test('a task is made from the keyboard', async (t) => {
  const { data, window } = await open(t);
  await window.find(id('empty'));
  await window.keys('c');
  await window.find('dialog input, [role=dialog] input');
  await window.type('dialog input, [role=dialog] input', 'Made by hand');
  await window.keys(CONTROL, '\uE007');
  const found = await desk.eventually('the store has it', () => desk.readTask(data, 1));
  assert.equal(found.subject, 'Made by hand');
  await window.find(card({ id: 1 }));
});

test('text from an agent stays text', async (t) => {
  const { data, window } = await open(t);
  const subject = '<img src=x onerror="window.__pwned=1"><b>bold</b>';
  const task = await desk.createTask(data, subject, { description: '<script>window.__pwned=2</script>[a](javascript:window.__pwned=3)' });
  await window.click(card(task));
  await window.find(id('drawer'));
  assert.ok(await window.until(`return document.querySelector('[data-testid=drawer]').textContent.includes('<b>bold</b>')`));
  assert.equal(await window.run('return window.__pwned ?? null'), null);
  assert.equal(await window.run(`return document.querySelectorAll('[data-testid=drawer] img, [data-testid=drawer] b, [data-testid=drawer] a[href^=javascript]').length`), 0);
});
