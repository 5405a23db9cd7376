// The run inspector in a real browser, over a real owner: what happened, what was refused and how it
// was repaired, what the board looked like at any event, and whether the record is sound.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually, launch, newFolder, openPage, startOwner, TALLY } from './stand.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const ROW = '[data-testid^="log.row:"]';
const tally = (owner, ...args) => execFileSync(TALLY, [...args, '--data', owner.data], { encoding: 'utf8' });
const runOf = (owner, agent = 'codex') => JSON.parse(tally(owner, 'runs', '--json')).runs.find((run) => run.agent === agent);

/** An agent that errs twice and repairs it: event 3 a wrong word, 4 a stale version, 5 the repair. */
async function errAndRepair(owner) {
  await owner.agent.create('Fix the login');
  const update = (expectedVersion, status) => owner.agent.call('progress_update', { id: '1', expectedVersion, patch: { status } });
  await update(1, 'Done');
  await update(7, 'done');
  await update(1, 'done');
  return runOf(owner).id;
}

test('a run is inspected: one event is selected everywhere, and the address says which', async (t) => {
  const owner = await startOwner(t);
  const run = await errAndRepair(owner);
  const page = await openPage(t, browser, owner, { hash: '#/runs' });
  await page.at(`run.row:${run}`).locator('a').click();
  await page.at('run.header').waitFor();
  assert.equal(await page.at('run.events').innerText(), '5');
  await page.at('log.row:4').click();
  await page.locator('[data-testid="run.event"][data-seq="4"][data-fits=true]').waitFor();
  assert.match(page.url(), /seq=4/);
  assert.equal(await page.evaluate(() => window.__ui.timeline().selected), 4);
  // Keys: the next event, the refusal before.
  await page.keyboard.press('j');
  await page.locator('[data-testid="run.event"][data-seq="5"]').waitFor();
  await page.keyboard.press('Shift+R');
  await page.locator('[data-testid="run.event"][data-seq="4"]').waitFor();
  await page.locator('#event-related').click();
  assert.deepEqual(await page.locator('[data-why]').evaluateAll((links) => links.map((link) => `${link.dataset.why} ${link.textContent}`)), ['try #3', 'repair #5']);
  // The same address in another window is the same screen.
  const twin = await page.context().newPage();
  await twin.goto(page.url());
  await twin.locator('[data-testid="run.event"][data-seq="4"]').waitFor();
  await page.keep('run');
});

test('a refused call has the same outcome on the card, in the strip, in the log and among the refused', async (t) => {
  const owner = await startOwner(t);
  const page = await openPage(t, browser, owner);
  await owner.agent.create('Fix the login');
  await owner.agent.call('progress_update', { id: '1', expectedVersion: 1, patch: { status: 'Done' } });
  const outcomes = async () => {
    const card = await page.card(1).locator('[data-outcome]').first().getAttribute('data-outcome');
    const strip = await page.locator('[data-testid^="strip.item:"][data-code] [data-outcome]').first().getAttribute('data-outcome');
    return [card, strip];
  };
  await eventually('open everywhere', async () => String(await outcomes()) === 'open,open', 3000);
  await owner.agent.call('progress_update', { id: '1', expectedVersion: 1, patch: { status: 'done' } });
  await eventually('the card says repaired', async () => (await outcomes())[0] === 'repaired', 3000);
  await page.at('nav.refused').click();
  await page.locator('[data-testid="rejected.chain:3"][data-outcome=repaired]').click();
  const detail = page.at('rejected.detail');
  await detail.locator('mark', { hasText: '"status": "Done"' }).waitFor();
  assert.match(await detail.innerText(), /patch\.status: not one of the allowed values/);
  assert.match(await page.at('rejected.try:4').innerText(), /patch\.status\s+"Done"\s+"done"/);
  await page.keyboard.press('o');
  await page.waitForURL(/state=open/);
  await page.goto(`${owner.origin}/#/run/${runOf(owner).id}`);
  await page.locator('[data-testid="log.row:3"] [data-outcome=repaired]').waitFor();
});

test('a person marks a refusal as expected', async (t) => {
  const owner = await startOwner(t);
  await owner.agent.create('x');
  await owner.agent.call('progress_update', { id: '1', patch: { status: 'done' } });
  const page = await openPage(t, browser, owner, { hash: '#/rejected?seq=3' });
  await page.at('rejected.mark').click();
  await page.locator('[data-testid="rejected.detail"][data-outcome=expected]').waitFor();
  await page.at('rejected.mark').click();
  await page.locator('[data-testid="rejected.detail"][data-outcome=open]').waitFor();
});

test('a replay cannot be missed, cannot be changed, and is what it was', async (t) => {
  const owner = await startOwner(t);
  const run = await errAndRepair(owner);
  await owner.agent.create('Later');
  const page = await openPage(t, browser, owner, { hash: `#/board?run=${run}&at=4` });
  await page.at('replay.banner').waitFor();
  await page.inColumn('pending', 1).waitFor();
  assert.match(await page.title(), /^\[REPLAY #4\]/);
  assert.equal(await page.at('new.open').isDisabled(), true);
  assert.match(await page.at('replay.ghosts').innerText(), /Later/);
  assert.equal(await page.locator('.frame').count(), 1);
  assert.equal(await page.locator('.scrubber .future').count(), 1);
  // What the screen shows is what the events up to there give.
  const { digest } = JSON.parse(tally(owner, 'replay', run, '--at', '4', '--json'));
  assert.equal(await page.at('replay.digest').innerText(), digest);
  // The owner refuses a change from here, and writes that down.
  await page.card(1).focus();
  await page.keyboard.press('Alt+ArrowRight');
  const refused = await page.evaluate(async () => {
    const body = JSON.stringify({ tool: 'progress_update', arguments: { id: '1', expectedVersion: 2, patch: { status: 'pending' } }, at: 4 });
    return (await fetch('/api/call', { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json();
  });
  assert.equal(refused.refusal.code, 'POLICY_DENIED');
  assert.equal(runOf(owner, process.env.USER ?? 'person')?.rejected ?? JSON.parse(tally(owner, 'runs', '--json')).runs.find((one) => one.actor === 'person').rejected, 1);
  // Keys and the slider.
  await page.keyboard.press('.');
  await page.inColumn('done', 1).waitFor();
  const slider = page.at('replay.scrubber');
  assert.equal(await slider.getAttribute('aria-valuenow'), '5');
  assert.match(await slider.getAttribute('aria-valuetext'), /^event 5 of 6/);
  await slider.focus();
  await page.keyboard.press('Home');
  await eventually('at the first event', async () => (await slider.getAttribute('aria-valuenow')) === '1');
  await page.keyboard.press('r');
  await eventually('at the first refusal', async () => (await slider.getAttribute('aria-valuenow')) === '3');
  await page.keep('replay');
  await page.keyboard.press('Shift+L');
  await page.at('replay.banner').waitFor({ state: 'detached' });
  await page.card(2).waitFor();
});

test('every event of a run gives the board that its own replay on the command line gives', async (t) => {
  const owner = await startOwner(t);
  const run = await errAndRepair(owner);
  const page = await openPage(t, browser, owner);
  for (const at of [1, 2, 3, 4, 5]) {
    await page.goto(`${owner.origin}/#/board?run=${run}&at=${at}`);
    const { digest } = JSON.parse(tally(owner, 'replay', run, '--at', String(at), '--json'));
    await eventually(`the digest at ${at}`, async () => (await page.at('replay.digest').innerText()) === digest);
  }
});

test('verify: sound, then one flipped byte is found with both hashes and shown on every tab', async (t) => {
  const owner = await startOwner(t);
  const run = await errAndRepair(owner);
  const page = await openPage(t, browser, owner, { hash: `#/run/${run}?tab=verify` });
  await page.locator('[data-testid="run.verify"][data-state=sound]').waitFor();
  await owner.stop();
  const sql = "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.executescript(\"DROP TRIGGER events_are_never_changed; UPDATE events SET body=replace(body,'Fix the login','Fix the logon') WHERE seq=2;\")";
  execFileSync('python3', ['-c', sql, join(owner.data, 'tallyboard.db')]);
  const again = await startOwner(t, owner.data, owner.ports);
  const other = await openPage(t, browser, again, { hash: `#/run/${run}?tab=verify` });
  await other.locator('[data-testid="run.verify"][data-state=broken]').waitFor();
  const problem = other.locator('[data-testid="verify.problem"][data-kind=altered][data-seq="2"]');
  assert.equal(await problem.locator('code').count(), 2);
  for (const pane of ['timeline', 'tasks']) {
    await other.at(`run.tab:${pane}`).click();
    await other.at('run.broken').waitFor();
  }
  await other.keep('verify-broken');
  assert.throws(() => tally(again, 'verify', run), (error) => error.status === 1 && /first bad event is 2/.test(error.stdout));
});

test('a long run: any event is reached, few rows are in the document, and what is read does not move', async (t) => {
  const data = newFolder(t);
  execFileSync(TALLY, ['demo', '--events', '6000', '--tasks', '60', '--keep', data]);
  const owner = await startOwner(t, data);
  const run = JSON.parse(tally(owner, 'runs', '--json', '--limit', '500')).runs.find((one) => one.agent === 'coder-1').id;
  const page = await openPage(t, browser, owner, { hash: `#/run/${run}` });
  await page.locator(ROW).first().waitFor();
  for (const density of ['compact', 'default', 'comfortable']) {
    await page.evaluate((name) => (localStorage['tallyboard.density'] = name), density);
    await page.reload();
    await page.locator(ROW).first().waitFor();
    for (const seq of ['1', '6000', '3123']) {
      await page.at('run.goto').fill(seq);
      await page.keyboard.press('Enter');
      await page.at(`log.row:${seq}`).waitFor();
      await page.locator(`[data-testid="run.event"][data-seq="${seq}"]`).waitFor();
      assert.ok((await page.locator(ROW).count()) <= 80);
      await page.keyboard.press('Escape');
    }
  }
  await page.at('run.filter').fill('kind:tool_failed');
  await page.waitForURL(/f=kind/);
  await eventually('only failed tools', async () => {
    const kinds = await page.locator(ROW).evaluateAll((rows) => rows.map((row) => row.dataset.kind).filter(Boolean));
    return kinds.length > 5 && kinds.every((kind) => kind === 'tool_failed');
  });
  await page.at('run.filter').fill('kind:nonsense');
  await page.getByText('kind:nonsense is not known here').waitFor();
  await page.keep('run-long');
});

test('live: what came while one reads above is counted, and the row that is read stays', async (t) => {
  const owner = await startOwner(t);
  for (let n = 0; n < 60; n += 1) await owner.agent.create(`Task ${n}`);
  const run = runOf(owner).id;
  const page = await openPage(t, browser, owner, { hash: `#/run/${run}?tab=log` });
  await page.at('log.row:61').waitFor();
  await page.at('run.log').evaluate((box) => (box.scrollTop = 300));
  await page.waitForTimeout(300);
  const first = () => page.at('run.log').evaluate((box) => {
    const top = box.getBoundingClientRect().top;
    const row = [...box.querySelectorAll('[data-testid^="log.row:"]')].find((one) => one.getBoundingClientRect().bottom > top + 1);
    return `${row.dataset.testid} ${Math.round(row.getBoundingClientRect().top - top)}`;
  });
  const before = await first();
  for (let n = 0; n < 12; n += 1) await owner.agent.create(`More ${n}`);
  await page.at('run.follow').getByText('12 new').waitFor();
  assert.equal(await first(), before);
  await page.at('run.follow').click();
  await page.at('log.row:73').waitFor();
});

test('a run or a page that is not there says what was looked for', async (t) => {
  const owner = await startOwner(t);
  await owner.agent.create('x');
  const page = await openPage(t, browser, owner, { hash: '#/run/01930000-0000-7000-8000-000000000000' });
  await page.getByText('This run cannot be shown').waitFor();
  await page.getByText('01930000-0000-7000-8000-000000000000').first().waitFor();
});

test('two runs are compared', async (t) => {
  const owner = await startOwner(t);
  await errAndRepair(owner);
  tally(owner, 'call', 'progress_create', '{"subject":"By hand"}');
  const page = await openPage(t, browser, owner, { hash: '#/runs' });
  await page.locator('[data-testid^="run.row:"] input').nth(0).check();
  await page.locator('[data-testid^="run.row:"] input').nth(1).check();
  await page.at('runs.compare').click();
  await page.locator('[data-testid="compare.runs"] tr[data-differs=true]', { hasText: 'Events' }).waitFor();
});

test('files are read in: what became of each is told, and the runs can be opened', async (t) => {
  const owner = await startOwner(t);
  const files = newFolder(t);
  const line = (seq) => `{"seq":${seq},"run_id":"demo","kind":"note","at":"2026-01-01T00:00:00Z","payload":{"text":"event ${seq}"}}\n`;
  writeFileSync(join(files, 'good.jsonl'), line(1) + line(2));
  writeFileSync(join(files, 'half.jsonl'), (line(1) + line(2).slice(0, 40)).replaceAll('demo', 'half'));
  const page = await openPage(t, browser, owner, { hash: '#/runs', axe: true });
  await page.at('runs.import').click();
  assert.ok(await page.at('import.start').isDisabled(), 'there is nothing to read yet');
  await page.locator('#import-paths').fill('here.jsonl');
  await page.keyboard.press('Control+Enter');
  await page.locator('#import-trouble', { hasText: 'a path must be absolute' }).waitFor();
  await page.locator('#import-paths').fill(`${files}\n${join(files, 'gone.jsonl')}`);
  await page.at('import.start').click();
  await page.locator('[data-testid="import.job"][data-state=done]').waitFor();
  const told = await page.locator('[data-testid="import.file"]').evaluateAll((rows) => rows.map((row) => row.innerText.replaceAll(/\s+/g, ' ').replaceAll(' Open the run', '').trim()));
  assert.deepEqual(told, ['gone.jsonl there is no such file', 'half.jsonl: 1 event read in 1 line could not be read line 2: is cut off, the file ends within it; is broken JSON: EOF while parsing a string at line 1 column 40', 'good.jsonl: 2 events read in']);
  const found = await page.evaluate(async () => (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`));
  assert.deepEqual(found, []);
  await page.keep('import');
  await page.locator('[data-testid="import.file"]', { hasText: 'good.jsonl' }).getByRole('button', { name: 'Open the run' }).click();
  await page.at('run.header').waitFor();
  assert.equal(await page.at('run.events').innerText(), '2');
});

for (const theme of ['light', 'dark']) {
  test(`the inspector’s views have nothing that axe finds, ${theme}`, async (t) => {
    const owner = await startOwner(t);
    const run = await errAndRepair(owner);
    const page = await openPage(t, browser, owner, { theme, axe: true });
    const views = ['#/runs', `#/run/${run}?seq=4`, `#/run/${run}?tab=tasks`, `#/run/${run}?tab=verify`, `#/run/${run}?tab=rejected&seq=3`, '#/rejected?seq=3', `#/run/${run}?seq=3&at=3`, `#/board?run=${run}&at=3`, '#/board?task=1&tab=history'];
    for (const hash of views) {
      await page.goto(`${owner.origin}/${hash}`);
      await page.waitForTimeout(700);
      const found = await page.evaluate(async () => (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`));
      assert.deepEqual(found, [], hash);
    }
    await page.keep(`inspect-${theme}`);
  });
}
