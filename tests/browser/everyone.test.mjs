// The page can be used by everyone: both languages, both looks, by ear, and without motion.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, startOwner } from './stand.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

const SCREENS = [
  ['board', '#/board'],
  ['task', '#/board?task=2'],
  ['history', '#/board?task=2&tab=history'],
  ['refused', '#/board?task=2&tab=refused'],
  ['runs', '#/runs'],
  ['trash', '#/trash'],
  ['connect', '#/connect'],
];
const DIALOGS = [['new', 'c'], ['palette', 'Control+k'], ['keys', '?']];

async function filled(t) {
  const owner = await startOwner(t);
  const { agent } = owner;
  await agent.create('Choose the database and write the schema', { description: 'PostgreSQL; one migration per change.' });
  await agent.create('Sign-in with one-time codes that live ten minutes and can be used only once', { blockedBy: ['1'] });
  await agent.create('Export orders as CSV', { blockedBy: ['1', '2'] });
  await agent.create('Rate limit the sign-in route');
  await agent.create('Release notes');
  await agent.update(1, { status: 'done' });
  await agent.update(2, { status: 'in_progress' });
  await agent.update(2, { description: 'Codes live five minutes.' });
  await agent.update(4, { status: 'blocked' });
  await agent.call('progress_update', { id: '2', expectedVersion: 1, patch: { status: 'Done' } });
  await agent.call('progress_delete', { id: '5', expectedVersion: 1 });
  return owner;
}

/** The screens one after the other, as a person goes to them. */
async function eachScreen(page, look) {
  for (const [name, hash] of SCREENS) {
    await page.evaluate((to) => (location.hash = to), hash);
    await page.waitForTimeout(350);
    await look(name);
  }
  await page.evaluate(() => (location.hash = '#/board'));
  for (const [name, key] of DIALOGS) {
    await page.waitForTimeout(200);
    await page.keyboard.press(key);
    await page.at(name).waitFor();
    await look(name);
    await page.keyboard.press('Escape');
  }
}

for (const theme of ['light', 'dark', 'contrast']) {
  for (const locale of ['en', 'zh-Hans']) {
    test(`no fault that axe finds: ${theme}, ${locale}`, async (t) => {
      const owner = await filled(t);
      const page = await openPage(t, browser, owner, { theme, locale, width: 1280, height: 720, axe: true });
      await page.card(2).waitFor();
      const found = [];
      await eachScreen(page, async (name) => {
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
        found.push(...violations.map(({ id, nodes }) => `${name}: ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`));
        await page.keep(`${name}-${theme}-${locale}`);
      });
      assert.deepEqual(found, []);
    });
  }
}

for (const [locale, width, height] of [['en', 1280, 720], ['zh-Hans', 1280, 720], ['en', 720, 480], ['zh-Hans', 720, 480]]) {
  test(`nothing is cut off: ${locale} at ${width} × ${height}`, async (t) => {
    const owner = await filled(t);
    const page = await openPage(t, browser, owner, { locale, width, height });
    await page.card(2).waitFor();
    const found = [];
    await eachScreen(page, async (name) => found.push(...(await page.evaluate(cutOff)).map((text) => `${name}: ${text}`)));
    assert.deepEqual(found, []);
  });
}

/** Texts that do not fit where they stand, other than those that end in an ellipsis by intent. */
function cutOff() {
  const found = [];
  for (const element of document.querySelectorAll('#app *, dialog *')) {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest('.sr-only, svg, ul[style], pre')) continue;
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!own) continue;
    const style = getComputedStyle(element);
    // Only for ears.
    if (style.clipPath !== 'none') continue;
    const intended = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none' || element.closest('.truncate');
    const box = element.getBoundingClientRect();
    const scrolled = element.closest('.board, .list, .scroll, .scroller, .body, .page, .groups, dialog');
    if (!intended && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && style.display !== 'inline') found.push(`too wide: ${element.textContent.trim()}`);
    if (!scrolled && (box.right > innerWidth + 1 || box.left < -1 || box.bottom > innerHeight + 1)) found.push(`off the screen: ${element.textContent.trim()}`);
  }
  return found;
}

test('in Chinese no English is left', async (t) => {
  const owner = await filled(t);
  const page = await openPage(t, browser, owner, { locale: 'en' });
  await page.card(2).waitFor();
  await page.at('locale').click();
  const left = [];
  await eachScreen(page, async (name) => {
    const texts = await page.evaluate(() => {
      const found = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const { parentElement: parent, textContent } = walker.currentNode;
        if (parent.closest('.foreign, .actor, pre, code, kbd, script, style, [lang=en], .sprite, .version')) continue;
        found.push(textContent);
      }
      for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
        if (element.closest('.actor, .project')) continue;
        for (const name of ['aria-label', 'title', 'placeholder']) found.push(element.getAttribute(name) ?? '');
      }
      return found;
    });
    const allowed = /HTTP|JSON|stdio|Ctrl|Shift|Esc|codex|INVALID_INPUT|\bU\b/g;
    left.push(...texts.filter((text) => /[A-Za-z]{2,}/.test(text.replace(allowed, ''))).map((text) => `${name}: ${text}`));
  });
  assert.deepEqual(left, []);
});

test('with reduced motion nothing is animated while cards move', async (t) => {
  const owner = await filled(t);
  const page = await openPage(t, browser, owner, { reducedMotion: 'reduce' });
  await page.card(2).waitFor();
  await page.evaluate(() => {
    window.moving = 0;
    const look = () => {
      window.moving += document.getAnimations().length;
      requestAnimationFrame(look);
    };
    look();
  });
  await owner.agent.update(2, { status: 'done' });
  await page.inColumn('done', 2).waitFor();
  await page.card(2).click();
  await page.at('drawer').waitFor();
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => window.moving), 0);
});

test('every state has an address that restores it', async (t) => {
  const owner = await filled(t);
  const page = await openPage(t, browser, owner);
  await page.card(2).click();
  await page.getByRole('tab', { name: /History/ }).click();
  await page.getByLabel('From version').selectOption('1');
  const address = page.url();
  assert.match(address, /#\/p\/[^/]+\/board\?task=2&tab=history&from=1&to=3$/);
  const other = await page.context().newPage();
  await other.goto(address);
  await other.locator('[data-testid=compare]').getByText('Codes live five minutes.').waitFor();
  assert.equal(await other.getByLabel('From version').inputValue(), '1');
});

test('the Enter that ends an input method’s word neither saves nor submits', async (t) => {
  const owner = await filled(t);
  const page = await openPage(t, browser, owner);
  await page.card(2).waitFor();
  await page.keyboard.press('c');
  const subject = page.getByLabel('Subject');
  await subject.fill('编写');
  await subject.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true });
  await subject.dispatchEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true });
  await page.waitForTimeout(200);
  assert.equal(await page.at('new').count(), 1);
  assert.equal(await page.card(6).count(), 0);
});
