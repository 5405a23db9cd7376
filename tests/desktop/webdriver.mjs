// The few W3C WebDriver calls that these tests need, on fetch alone.
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** One command; `value` of the answer, or an Error that says what the driver said. */
async function send(url, method, path, body) {
  const answer = await fetch(url + path, { method, body: body && JSON.stringify(body) });
  const { value } = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
  return value;
}

/** Opens the program in a session of its own. */
export async function openSession(driver, application, args) {
  const options = { application, args };
  const capabilities = { alwaysMatch: { 'tauri:options': options } };
  const { sessionId } = await send(driver, 'POST', '/session', { capabilities });
  const at = `/session/${sessionId}`;
  const ask = (method, path, body) => send(driver, method, at + path, body);
  const run = (script, ...list) => ask('POST', '/execute/sync', { script, args: list });

  /** The first element that matches, once there is one. */
  async function find(selector, ms = 5000) {
    const last = Date.now() + ms;
    for (;;) {
      const [found] = await ask('POST', '/elements', { using: 'css selector', value: selector });
      if (found) return found[ELEMENT];
      if (Date.now() > last) throw new Error(`after ${ms} ms there is no ${selector}`);
      await pause(20);
    }
  }
  /** Waits until `script` gives something true, and gives it back. */
  async function until(script, ms = 5000, ...list) {
    const last = Date.now() + ms;
    for (;;) {
      const value = await run(script, ...list);
      if (value) return value;
      if (Date.now() > last) throw new Error(`after ${ms} ms this is still not so: ${script}`);
      await pause(20);
    }
  }
  const click = async (selector) => ask('POST', `/element/${await find(selector)}/click`, {});
  const type = async (selector, text) => ask('POST', `/element/${await find(selector)}/value`, { text });
  const keys = (...pressed) => {
    const actions = [...pressed.map((value) => ({ type: 'keyDown', value })), ...pressed.reverse().map((value) => ({ type: 'keyUp', value }))];
    return ask('POST', '/actions', { actions: [{ type: 'key', id: 'keys', actions }] });
  };
  /** Presses at one point, moves to the other in steps, lets go: as a hand does it. */
  const drag = (from, to, steps = 10) => {
    const point = (part) => ({
      type: 'pointerMove', duration: 20, origin: 'viewport',
      x: Math.round(from.x + (to.x - from.x) * part), y: Math.round(from.y + (to.y - from.y) * part),
    });
    const way = Array.from({ length: steps }, (_, step) => point((step + 1) / steps));
    const actions = [point(0), { type: 'pointerDown', button: 0 }, ...way, { type: 'pause', duration: 60 }, { type: 'pointerUp', button: 0 }];
    return ask('POST', '/actions', { actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }] });
  };
  const screenshot = async () => Buffer.from(await ask('GET', '/screenshot'), 'base64');
  const resize = (width, height) => ask('POST', '/window/rect', { width, height });
  const end = () => send(driver, 'DELETE', at);
  return { find, until, run, click, type, keys, drag, screenshot, resize, end };
}
