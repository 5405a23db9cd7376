// The owner goes and comes back; the page stays.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, startOwner } from './stand.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

test('killed, it is said within two seconds; started again, the board goes on without a reload', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner);
  await owner.agent.create('Before');
  await page.card(1).waitFor();
  await page.evaluate(() => (window.same = true));

  await owner.stop('SIGKILL');
  const clock = page.locator('[data-testid=clock][data-state=stale]');
  await clock.waitFor({ timeout: 2500 });
  assert.match(await clock.innerText(), /Reconnecting\s*data as of \d\d:\d\d:\d\d/);
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('[data-testid=statusbar]')).filter), 'grayscale(1)');
  await page.keep('stale');

  const next = await startOwner(t, owner.data, owner.ports);
  await page.locator('[data-testid=clock][data-state=live]').waitFor({ timeout: 6000 });
  await next.agent.create('After');
  await page.card(2).waitFor({ timeout: 1000 });
  assert.equal(await page.evaluate(() => window.same), true);
});

test('a move made while the owner is away is sent again when it is back, and done once', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner);
  await owner.agent.create('One');
  await page.card(1).waitFor();
  await owner.stop('SIGKILL');
  await page.locator('[data-testid=clock][data-state=stale]').waitFor();
  await page.card(1).focus();
  await page.keyboard.press('Alt+ArrowRight');
  const next = await startOwner(t, owner.data, owner.ports);
  await page.locator('[data-testid="board.card:1"][data-version="2"][data-status=in_progress]').waitFor({ timeout: 8000 });
  assert.equal((await next.agent.read(1)).version, 2);
});

test('a browser that is not signed in is told how', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner);
  await page.context().clearCookies();
  await owner.stop('SIGKILL');
  await page.locator('[data-testid=clock][data-state=stale]').waitFor();
  await startOwner(t, owner.data, owner.ports);
  await page.locator('[data-testid=screen][data-screen=signed_out]').getByText('tally open').waitFor({ timeout: 6000 });
});

test('the page to connect an agent turns when the first one calls', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner, { hash: '#/connect' });
  await page.locator('[data-testid="connect.state"][data-state=waiting]').waitFor();
  await owner.agent.create('Hello');
  await page.locator('[data-testid="connect.state"][data-state=connected]').getByText('codex 1.0.0 is connected').waitFor({ timeout: 1500 });
});

test('runs are listed live', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner, { hash: '#/runs' });
  await owner.agent.create('Hello');
  const row = page.locator('[data-testid^="run.row:"]', { hasText: 'codex' });
  await row.waitFor({ timeout: 1500 });
  assert.match(await row.innerText(), /codex[\s\S]*Running[\s\S]*HTTP session/);
});
