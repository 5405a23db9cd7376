// A person at the board, beside agents: the same rules, and nobody's work is lost.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, launch, openPage, startOwner } from './stand.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

async function drag(page, from, to, { drop = true } = {}) {
  const [a, b] = [await page.card(from).boundingBox(), await page.at(`board.column:${to}`).boundingBox()];
  await page.mouse.move(a.x + 40, a.y + 30);
  await page.mouse.down();
  await page.mouse.move(b.x + b.width / 2, b.y + 200, { steps: 8 });
  if (drop) await page.mouse.up();
}

/** The last version as the ledger has it. */
async function lastVersion(page, task) {
  return page.evaluate(async (id) => {
    const response = await fetch(`/api/view/task?params=${encodeURIComponent(JSON.stringify({ id }))}`);
    return (await response.json()).versions[0];
  }, task);
}

test('makes, changes, moves and deletes a task; each is a version by a person', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner);
  await page.at('empty.new').click();
  await page.getByLabel('Subject').fill('Write the plan');
  await page.getByLabel('Description').fill('Two pages.');
  await page.at('new.create').click();
  await page.card(1).waitFor();

  await page.card(1).click();
  await page.at('edit:subject').click();
  await page.locator('#edit-subject').fill('Write the whole plan');
  await page.keyboard.press('Enter');
  await page.locator('[data-testid="board.card:1"][data-version="2"]').waitFor();
  await page.at('notice').getByText('Saved #1 as v2').waitFor();
  await page.keyboard.press('Escape');
  await page.at('drawer').waitFor({ state: 'detached' });

  await drag(page, 1, 'in_progress');
  await page.inColumn('in_progress', 1).waitFor();
  await eventually('the move is in the ledger', async () => (await lastVersion(page, 1)).version === 3);
  const moved = await lastVersion(page, 1);
  assert.equal(moved.actor.kind, 'person');
  assert.deepEqual(moved.changes, [{ field: 'status', before: 'pending', after: 'in_progress' }]);

  await page.card(1).click();
  await page.at('drawer.delete').click();
  await page.at('confirm.delete').click();
  await page.card(1).waitFor({ state: 'detached' });
  await page.at('notice').getByText('Undo').last().click();
  await page.card(1).waitFor();
  assert.equal((await lastVersion(page, 1)).kind, 'task_restored');
});

test('Escape in a drag puts the card back and writes nothing', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner);
  await owner.agent.create('One');
  await page.card(1).waitFor();
  await drag(page, 1, 'done', { drop: false });
  await page.locator('[data-testid="board.column:done"].over').waitFor();
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await page.waitForTimeout(300);
  assert.equal(await page.at('drawer').count(), 0, 'the click after the drag opens nothing');
  assert.equal(await page.inColumn('pending', 1).count(), 1);
  assert.equal((await owner.agent.read(1)).version, 1);
});

test('a drop within its column is refused with the reason', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner);
  await owner.agent.create('One');
  await page.card(1).waitFor();
  await drag(page, 1, 'pending');
  await page.at('notice').getByText('ordered by the program').waitFor();
});

test('by keys alone: move, status, select many, undo', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner);
  for (const subject of ['One', 'Two', 'Three']) await owner.agent.create(subject);
  await page.card(3).waitFor();
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), 'board.card:1');
  const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(ring, 'solid', 'the focus can be seen');

  await page.keyboard.press('Alt+ArrowRight');
  await page.inColumn('in_progress', 1).waitFor();
  await page.at('notice').getByText('Moved #1 to In progress, position 1 of 1').waitFor();
  await eventually('the focus went along', () => page.evaluate(() => document.activeElement.dataset.testid === 'board.card:1'));
  await page.keyboard.press('s');
  await page.keyboard.press('4');
  await page.inColumn('done', 1).waitFor();
  await page.keyboard.press('Control+z');
  await page.inColumn('in_progress', 1).waitFor();
  await eventually('undo wrote a version', async () => (await owner.agent.read(1)).version === 4);

  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('x');
  await page.keyboard.press('Shift+J');
  await page.locator('[data-testid="board.bulk"]').getByText('2 selected').waitFor();
  await page.keyboard.press('m');
  await page.keyboard.press('3');
  await page.inColumn('blocked', 2).waitFor();
  await page.inColumn('blocked', 3).waitFor();
  await page.at('notice').getByText('Moved 2 tasks to Blocked').waitFor();
  await page.keyboard.press('Control+z');
  await page.inColumn('pending', 2).waitFor();
  await page.inColumn('pending', 3).waitFor();

  await page.keyboard.press('c');
  await page.keyboard.type('Four');
  await page.keyboard.press('Enter');
  await page.card(4).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('4');
  await page.keyboard.press('Enter');
  await page.locator('[data-testid=drawer][data-task="4"]').waitFor();
  await page.keyboard.press('k');
  await page.locator('[data-testid=drawer][data-task="3"]').waitFor();
  await page.goBack();
  await page.at('drawer').waitFor({ state: 'detached' });
});

test('a move that lost the race goes back, says who was faster, and can be made anyway', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner);
  await owner.agent.create('One');
  await page.card(1).waitFor();
  // The person's call is on its way while the agent's is carried out.
  await page.route('**/api/call', async (route) => {
    await owner.agent.update(1, { status: 'blocked' });
    await route.continue();
    await page.unroute('**/api/call');
  });
  await drag(page, 1, 'done');
  await page.at('board.lost:1').getByText(/codex changed this to Blocked at \d\d:\d\d:\d\d \(v2\)\. Your move was not applied/).waitFor();
  await page.inColumn('blocked', 1).waitFor();
  await page.keep('lost');
  assert.equal((await owner.agent.read(1)).status, 'blocked');
  await page.at('board.lost:1').getByText('Apply anyway').click();
  await page.inColumn('done', 1).waitFor();
  await eventually('it is written', async () => (await owner.agent.read(1)).version === 3);
});

test('two edit the same text: the draft and its caret stay, and it is saved only once that is settled', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner);
  await owner.agent.create('Sign-in', { description: 'Codes live ten minutes.' });
  await page.card(1).click();
  await page.at('edit:description').click();
  const area = page.locator('textarea#edit-description');
  await area.press('End');
  await area.pressSequentially(' Once.');
  await area.evaluate((element) => element.setSelectionRange(5, 5));
  await owner.agent.update(1, { subject: 'Sign in' });
  await page.at('savebar').getByText('v2 by codex').waitFor();
  await owner.agent.update(1, { description: 'Codes live five minutes.' });
  await page.at('conflict:description').waitFor();
  assert.equal(await area.inputValue(), 'Codes live ten minutes. Once.');
  assert.equal(await area.evaluate((element) => element.selectionStart), 5);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'edit-description');
  await page.keyboard.press('Control+Enter');
  await page.waitForTimeout(200);
  assert.equal((await owner.agent.read(1)).version, 3);
  await page.keep('conflict');

  await page.reload();
  await page.at('conflict:description').waitFor();
  await page.at('conflict:description').getByText('Keep mine').click();
  await page.at('save').click();
  await eventually('it is written', async () => (await owner.agent.read(1)).description === 'Codes live ten minutes. Once.');
  assert.equal((await owner.agent.read(1)).subject, 'Sign in');
});

test('the task is deleted while a person edits it: the draft stays, and the task can be brought back', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner);
  await owner.agent.create('One', { description: 'Text' });
  await page.card(1).click();
  await page.at('edit:description').click();
  await page.locator('#edit-description').fill('My text');
  await owner.agent.call('progress_delete', { id: '1', expectedVersion: 1 });
  await page.at('drawer.gone').getByText('Your draft is kept').waitFor();
  await page.at('drawer.gone').getByText('Restore').click();
  await page.at('drawer.gone').waitFor({ state: 'detached' });
  assert.equal(await page.locator('textarea#edit-description').inputValue(), 'My text');
  await page.at('save').click();
  await eventually('it is written', async () => (await owner.agent.read(1)).description === 'My text');
});

test('what is wrong with a new task is shown at its field', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner);
  await page.keyboard.press('c');
  await page.getByLabel('Subject').fill('x'.repeat(201));
  await page.keyboard.press('Enter');
  await page.locator('#new-subject-problem').getByText('200 at most').waitFor();
  await page.getByLabel('Subject').fill('Good');
  await page.getByLabel('Blocked by').fill('7');
  await page.keyboard.press('Enter');
  await page.locator('#new-blockedBy-problem').getByText('no live task #7').waitFor();
});

test('two projects have a board each, and the address says which', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner);
  await owner.agent.create('In the first');
  await page.card(1).waitFor();
  await page.evaluate(async () => {
    const body = JSON.stringify({ project: 'code/second', tool: 'progress_create', arguments: { subject: 'In the second' } });
    await fetch('/api/call', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  });
  await page.at('project').click();
  await page.getByRole('menuitemradio', { name: 'code/second' }).click();
  await page.card(1).getByText('In the second').waitFor();
  await page.reload();
  await page.card(1).getByText('In the second').waitFor();
  await owner.agent.create('Also in the first');
  await page.goBack();
  await page.card(2).getByText('Also in the first').waitFor();
  await page.goto(`${owner.origin}/#/p/00000000-0000-7000-8000-000000000000/board`);
  await page.locator('[data-testid=screen][data-screen=failed]').getByText('there is no project').waitFor();
  await page.locator('[data-testid=screen]').getByText('Back to the board').click();
  await page.card(1).getByText('In the first').waitFor();
});
