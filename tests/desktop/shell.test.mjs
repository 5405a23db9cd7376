// The shell around the page: what the page may not do, and what the window remembers.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as desk from './desk.mjs';

let driver;
before(async () => (driver = await desk.startDriver()));
after(() => driver?.stop());

/** Runs an async body in the page and gives what it resolves to. */
async function inPage(window, body) {
  await window.run(`window.__answer = undefined; (async () => { ${body} })().then(
    (value) => (window.__answer = { value }), (error) => (window.__answer = { error: String(error?.message ?? error) }))`);
  return window.until('return window.__answer');
}

test('the page can call view, call and feed, and nothing else', async (t) => {
  const window = await desk.openWindow(t, driver, desk.dataFolder(t));
  const { value } = await inPage(window, `return window.__TAURI_INTERNALS__.invoke('view', { name: 'status', params: {} })`);
  assert.equal(value.readOnly, null);
  const forbidden = [
    'plugin:app|version', 'plugin:window|close', 'plugin:window|set_title', 'plugin:event|emit',
    'plugin:webview|create_webview_window', 'plugin:window-state|save_window_state', 'plugin:path|resolve_directory',
    'plugin:shell|open', 'plugin:fs|read_text_file', 'focus', 'open',
  ];
  for (const command of forbidden) {
    const { error } = await inPage(window, `return window.__TAURI_INTERNALS__.invoke('${command}', {})`);
    assert.match(error ?? 'it was allowed', /not allowed|not found/i, command);
  }
});

test('a refusal reaches the page whole', async (t) => {
  const window = await desk.openWindow(t, driver, desk.dataFolder(t));
  const call = (tool) => `return window.__TAURI_INTERNALS__.invoke('call', { project: null, tool: '${tool}', arguments: { subject: '' } })`;
  const refused = (await inPage(window, call('progress_create'))).value;
  assert.equal(refused.ok, false);
  assert.equal(refused.refusal.code, 'INVALID_INPUT');
  assert.ok(refused.refusal.issues[0].fix);
  const unknown = (await inPage(window, call('progress_frobnicate'))).value;
  assert.equal(unknown.refusal.code, 'INVALID_INPUT');
  const view = await inPage(window, `try { await window.__TAURI_INTERNALS__.invoke('view', { name: 'nothing', params: {} }) } catch (refusal) { return refusal }`);
  assert.equal(view.value.code, 'NOT_FOUND');
});

test('the page runs no foreign script, reaches no network, and its prototypes are frozen', async (t) => {
  let asked = 0;
  const server = createServer((_, answer) => { asked += 1; answer.end(); });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${server.address().port}/`;
  const window = await desk.openWindow(t, driver, desk.dataFolder(t));
  const { value } = await inPage(window, `
    const blocked = [];
    document.addEventListener('securitypolicyviolation', (event) => blocked.push(event.effectiveDirective));
    const add = (name, more) => document.body.append(Object.assign(document.createElement(name), more));
    add('script', { textContent: 'window.__inline = true' });
    add('script', { src: '${url}script.js' });
    add('img', { src: '${url}image.png' });
    add('iframe', { src: '${url}frame.html' });
    add('div', { innerHTML: '<img src="x" onerror="window.__handler = true">' });
    const fetched = await fetch('${url}').then(() => true, () => false);
    const socket = await new Promise((done) => {
      try { const ws = new WebSocket('${url.replace('http', 'ws')}'); ws.onopen = () => done(true); ws.onerror = () => done(false); } catch { done(false) }
    });
    let evaluated = false;
    try { evaluated = new Function('return true')(); } catch {}
    await new Promise((done) => setTimeout(done, 300));
    return { inline: !!window.__inline, handler: !!window.__handler, evaluated, fetched, socket, blocked,
             frozen: Object.isFrozen(Object.prototype) };`);
  assert.equal(asked, 0, 'something reached the network');
  const { blocked, ...seen } = value;
  assert.deepEqual(seen, { inline: false, handler: false, evaluated: false, fetched: false, socket: false, frozen: true });
  for (const directive of ['script-src-elem', 'img-src', 'frame-src', 'connect-src']) assert.ok(blocked.includes(directive), `${directive} in ${blocked}`);
});

test('size and place are remembered', async (t) => {
  const data = desk.dataFolder(t);
  const first = await desk.openWindow(t, driver, data);
  assert.deepEqual(await first.run('return [innerWidth, innerHeight]'), [1280, 860]);
  await first.resize(1111, 777);
  await first.until('return innerWidth === 1111 && innerHeight === 777');
  await first.close(desk.owner(data).pid);
  const second = await desk.openWindow(t, driver, data);
  await second.until('return innerWidth === 1111 && innerHeight === 777');
  await second.close(desk.owner(data).pid);
});

test('when the window is closed, the store is closed and the next one opens it', async (t) => {
  const data = desk.dataFolder(t);
  const first = await desk.openWindow(t, driver, data);
  const task = await desk.createTask(data, 'Outlive the window');
  await first.close(desk.owner(data).pid);
  assert.ok(!existsSync(join(data, 'owner.json')), 'owner.json is taken away');
  const second = await desk.openWindow(t, driver, data);
  await second.find(`[data-testid="board.card:${task.id}"]`);
});

test('a store that cannot be used is said in the window, and opens as soon as it can be', async (t) => {
  const data = desk.dataFolder(t);
  writeFileSync(join(data, 'tallyboard.db'), 'this is not a database'.repeat(400));
  const window = await desk.openWindow(t, driver, data, { ready: false });
  const asked = await inPage(window, `try { return await window.__TAURI_INTERNALS__.invoke('view', { name: 'board', params: {} }) } catch (refusal) { return refusal }`);
  assert.equal(asked.value.code, 'STORE_UNAVAILABLE');
  assert.ok(asked.value.message.length > 20, asked.value.message);

  rmSync(join(data, 'tallyboard.db'));
  await window.until(`return document.querySelector('[data-testid=clock]')?.dataset.state === 'live'`);
  window.pid = desk.owner(data).pid;
});

test('it keeps a log of its own, in lines of JSON', async (t) => {
  const data = desk.dataFolder(t);
  const window = await desk.openWindow(t, driver, data);
  await window.close(desk.owner(data).pid);
  const [file] = readdirSync(join(data, 'logs')).filter((name) => name.startsWith('tallyboard.'));
  const lines = readFileSync(join(data, 'logs', file), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  assert.ok(lines.some((line) => line.fields.message === 'the window owns the store'));
  assert.ok(!JSON.stringify(lines).includes(readFileSync(join(data, 'agent.token'), 'utf8').trim()), 'the token is in the log');
});

test('without a screen it says what to do instead', () => {
  const env = { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '' };
  for (const display of ['', ':4242']) {
    const { status, stderr } = spawnSync(desk.TALLYBOARD, [], { env: { ...env, DISPLAY: display }, encoding: 'utf8', timeout: 20_000 });
    assert.equal(status, 1, stderr);
    assert.match(stderr, /tally serve --ui/);
    assert.doesNotMatch(stderr, /panicked/);
  }
});

test('a second start brings the first window to the front and ends', async (t) => {
  const data = desk.dataFolder(t);
  // A session bus of our own: the machine's may be absent, or be somebody's.
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => bus.kill());
  const address = await new Promise((found) => bus.stdout.once('data', (text) => found(String(text).trim())));
  const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: address };
  const first = spawn(desk.TALLYBOARD, ['--data', data], { env, stdio: 'ignore' });
  t.after(() => desk.endProcess(first.pid));
  await desk.eventually('the first window is there', () => desk.owner(data).pid === first.pid);
  const second = spawnSync(desk.TALLYBOARD, ['--data', data], { env, encoding: 'utf8', timeout: 20_000 });
  assert.equal(second.error, undefined, 'it opened a window of its own');
  assert.equal(second.status, 0, second.stderr);
  assert.ok(desk.alive(first.pid));
  const other = desk.dataFolder(t);
  const third = spawn(desk.TALLYBOARD, ['--data', other], { env, stdio: 'ignore' });
  t.after(() => desk.endProcess(third.pid));
  await desk.eventually('another store has a window of its own', () => desk.owner(other).pid === third.pid);
  // What is registered first is cleaned up first: the folders would go while somebody writes in them.
  await desk.endProcess(third.pid);
  await desk.endProcess(first.pid);
});
