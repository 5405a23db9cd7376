// Pictures of the real window, to be looked at: `xvfb-run -a -s '-screen 0 1600x1000x24' node tests/desktop/screenshot.mjs`
// puts them into tests/out; docs/screenshot.png is one of them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as desk from './desk.mjs';

const out = fileURLToPath(new URL('../out/', import.meta.url));
mkdirSync(out, { recursive: true });
const endings = [];
const t = { after: (end) => endings.unshift(end) };

const TASKS = [
  // subject, agent, status, blockers
  ['Read the failing tests of the login flow', 'claude-code', 'done', []],
  ['Reproduce the redirect loop with an expired session', 'claude-code', 'done', []],
  ['Fix login: refresh the token before the redirect', 'claude-code', 'in_progress', []],
  ['Add a test for the expired refresh token', 'codex', 'in_progress', []],
  ['Run the end-to-end suite on the fix', 'codex', 'blocked', ['3', '4']],
  ['Update the changelog', 'gemini-cli', 'pending', ['5']],
  ['升级登录页的文案', 'qwen-code', 'in_progress', []],
  ['Measure cold start before and after', 'gemini-cli', 'pending', []],
  ['Remove the old cookie parser', 'gemini-cli', 'pending', ['5']],
  ['Write the migration note for self-hosters', 'qwen-code', 'pending', []],
];

async function fill(data) {
  let seen = 0;
  for (const [subject, agent, , blockedBy] of TASKS) {
    const description = seen++ === 2 ? 'The redirect happens before the refresh call returns.\n\nAcceptance: the loop test passes 50 times in a row.' : undefined;
    await desk.agentCall(data, 'progress_create', { subject, blockedBy, ...(description && { description }) }, agent);
  }
  for (const [index, [, agent, status]] of TASKS.entries()) {
    const change = (patch, expectedVersion) => desk.agentCall(data, 'progress_update', { id: String(index + 1), expectedVersion, patch }, agent);
    if (status !== 'pending') await change({ status: status === 'done' ? 'in_progress' : status }, 1);
    if (status === 'done') await change({ status }, 2);
  }
  // What agents get wrong: a word that is no status, and a version that is no longer so.
  await desk.agentCall(data, 'progress_update', { id: '4', expectedVersion: 2, patch: { status: 'Done' } }, 'codex');
  await desk.agentCall(data, 'progress_update', { id: '3', expectedVersion: 1, patch: { status: 'done' } }, 'gemini-cli');
}

async function look(window, name, { theme = 'light', hash = '#/board' } = {}) {
  await window.run(`localStorage.setItem('tallyboard.theme', '${theme}'); localStorage.setItem('tallyboard.strip', 'on');
    window.__before = true; location.hash = '${hash}'; location.reload()`);
  await window.until(`return !window.__before && document.querySelector('[data-testid=clock]')?.dataset.state === 'live'`, 15_000);
  await pause(1500);
  writeFileSync(join(out, `${name}.png`), await window.screenshot());
}

try {
  // Without the switch that the program sets itself where there is no GPU: see src-tauri/src/webview.rs.
  const driver = await desk.startDriver({ WEBKIT_DISABLE_DMABUF_RENDERER: '0' });
  t.after(() => driver.stop());
  const data = desk.dataFolder(t);
  const window = await desk.openWindow(t, driver, data);
  window.pid = desk.owner(data).pid;
  await look(window, 'empty-light');
  await look(window, 'empty-dark', { theme: 'dark' });
  await fill(data);
  await look(window, 'full-light');
  await look(window, 'full-dark', { theme: 'dark' });
  await look(window, 'drawer-light', { hash: '#/board?task=3' });
  await look(window, 'runs-light', { hash: '#/runs' });
  await window.resize(720, 480);
  await look(window, 'small-dark', { theme: 'dark' });
} finally {
  for (const end of endings) await end();
}
