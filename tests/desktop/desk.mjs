// What a test of the real window stands on: the driver, data folders, owners, and an agent.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openSession } from './webdriver.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
export const TALLYBOARD = join(root, 'target/debug/tallyboard');
const TALLY = join(root, 'target/debug/tally');

/** A port that is free now. */
function freePort() {
  return new Promise((found, failed) => {
    const server = createServer().on('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });
}

/** Waits until `test` gives something true; the last error, or `what`, when it never does. */
export async function eventually(what, test, ms = 10_000) {
  const last = Date.now() + ms;
  let trouble = new Error(`after ${ms} ms still not: ${what}`);
  for (;;) {
    try {
      const value = await test();
      if (value) return value;
    } catch (error) {
      trouble = error;
    }
    if (Date.now() > last) throw trouble;
    await pause(20);
  }
}

export async function startDriver(env = {}) {
  const [port, native] = [await freePort(), await freePort()];
  const process = spawn('tauri-driver', ['--port', `${port}`, '--native-port', `${native}`], {
    stdio: 'ignore',
    env: { ...globalThis.process.env, ...env },
  });
  const failed = new Promise((_, reject) => process.on('error', reject));
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([failed, eventually('the driver answers', async () => (await fetch(`${url}/status`)).ok)]);
  return { url, stop: () => stop(process) };
}

/** An empty data folder, removed at the end of the test. */
export function dataFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'tallyboard-desktop-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return folder;
}

/** The real window on `data`. Ended as a session's end does it, by a signal. */
export async function openWindow(t, driver, data, { ready = true } = {}) {
  const window = await openSession(driver.url, TALLYBOARD, ['--data', data]);
  let open = true;
  window.close = async (pid = window.pid) => {
    if (!open) return;
    open = false;
    if (pid) await endProcess(pid);
    await window.end().catch(() => {});
  };
  t.after(() => window.close());
  if (ready) await window.until(`return document.querySelector('[data-testid=clock]')?.dataset.state === 'live'`, 15_000);
  window.owner = () => owner(data);
  return window;
}

/** What the owner of `data` says of itself. */
export function owner(data) {
  return JSON.parse(readFileSync(join(data, 'owner.json'), 'utf8'));
}

/** `tally serve` on `data`, answering. */
export async function startOwner(t, data) {
  const process = spawn(TALLY, ['serve', '--data', data], { stdio: 'ignore' });
  t.after(() => stop(process));
  await eventually('the owner announces itself', () => owner(data).pid === process.pid);
  return { stop: () => stop(process), kill: () => stop(process, 'SIGKILL') };
}

export async function endProcess(pid, signal = 'SIGTERM') {
  try {
    globalThis.process.kill(pid, signal);
  } catch {
    return;
  }
  await eventually(`process ${pid} ends`, () => !alive(pid));
}

/** Whether it still does anything: one that ended and was not waited for yet counts as gone. */
export function alive(pid) {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function stop(process, signal = 'SIGTERM') {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const ended = new Promise((done) => process.on('exit', done));
  process.kill(signal);
  await ended;
}

/** One tool call as an agent makes it: one POST, no session. One `agent` is one run. */
export async function agentCall(data, tool, toolArguments, agent = 'codex') {
  const { mcp_url: url, token_file: tokenFile } = owner(data);
  const version = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: agent, version: '1.0' },
    threadId: `desktop-test-${agent}`,
  };
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`,
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: toolArguments, _meta } }),
  });
  const text = await answer.text();
  const message = JSON.parse(text.startsWith('{') ? text : text.match(/^data: (\{.*)$/m)[1]);
  if (message.error) throw new Error(JSON.stringify(message.error));
  return message.result;
}

export async function createTask(data, subject, more = {}) {
  const result = await agentCall(data, 'progress_create', { subject, ...more });
  if (result.isError) throw new Error(result.content[0].text);
  return result.structuredContent.task;
}

export async function readTask(data, id) {
  return (await agentCall(data, 'progress_get', { id: String(id) })).structuredContent.task;
}
