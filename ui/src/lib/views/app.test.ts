// The whole page on the make-believe owner.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import App from '../../App.svelte';
import { Refused } from '../client/client';
import { FakeOwner } from '../client/fake';
import { session } from '../live/session.svelte';
import { words } from '../shared/i18n/i18n.svelte';
import { notices } from '../shared/notices.svelte';
import { place } from '../shared/route.svelte';
import { changes } from '../task/changes.svelte';
import { layers } from './layers.svelte';

let owner: FakeOwner;
const id = (name: string) => screen.findByTestId(name);
const update = (task: number, patch: Record<string, unknown>, agent = 'codex') =>
  owner.agent(agent, 'progress_update', { id: String(task), patch, expectedVersion: owner.store.tasks.get(task)?.version });

beforeEach(async () => {
  localStorage.clear();
  owner = new FakeOwner();
  for (const subject of ['Alpha', 'Beta', 'Gamma']) owner.agent('codex', 'progress_create', { subject, description: `${subject} text` });
  session.board.clear();
  session.events.clear();
  place.replace({ view: 'board', project: null, task: null, tab: 'overview', from: null, to: null });
  layers.close();
  session.phase = 'starting';
  session.start(owner, null);
  session.retry();
  render(App);
  await screen.findByTestId('board.card:1');
});
afterEach(() => {
  session.end();
  for (const { id: notice } of notices.list) notices.dismiss(notice);
  for (const task of changes.lost.keys()) changes.dismiss(task);
  words.locale = 'en';
  cleanup();
});

describe('the board', () => {
  it('shows a change as it happens', async () => {
    update(2, { status: 'in_progress' });
    await vi.waitFor(() => expect(screen.getByTestId('board.card:2').dataset['status']).toBe('in_progress'));
    const column = within(screen.getByTestId('board.column:in_progress'));
    expect(column.getByTestId('board.card:2').textContent).toContain('In progress');
  });

  it('shows a refused call on the card and in the strip, with what the agent was told', async () => {
    update(2, { status: 'Done' });
    await vi.waitFor(() => expect(screen.getByTestId('board.card:2').dataset['rejected']).toBe('1'));
    const [line] = screen.getAllByTestId(/^strip\.item:/);
    expect(line?.dataset['code']).toBe('INVALID_INPUT');
    expect(line?.textContent).toContain('patch.status: not one of the allowed values');
  });

  it('draws agents’ text as text', async () => {
    update(1, { subject: '<img src=x onerror=alert(1)><b>bold</b>' });
    await vi.waitFor(() => expect(screen.getByTestId('board.card:1').textContent).toContain('<b>bold</b>'));
    expect(document.querySelector('img')).toBeNull();
  });

  it('moves a card by the menu, says so, and takes it back', async () => {
    screen.getByTestId('board.card:1').focus();
    await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'm' });
    await fireEvent.keyDown(screen.getByRole('menu'), { key: '4' });
    await vi.waitFor(() => expect(owner.store.tasks.get(1)?.status).toBe('done'));
    const notice = await id('notice');
    expect(notice.textContent).toContain('Moved #1 to Done, position 1 of 1');
    await fireEvent.click(within(notice).getByText('Undo'));
    await vi.waitFor(() => expect(owner.store.tasks.get(1)).toMatchObject({ status: 'pending', version: 3 }));
  });

  it('a move that lost the race goes back, says who was faster, and can be made anyway', async () => {
    owner.latencyMs = 20;
    const moving = changes.move([1], 'done');
    update(1, { status: 'blocked' }, 'claude-code');
    await moving;
    await vi.waitFor(() => expect(screen.getByTestId('board.lost:1').textContent).toMatch(/claude-code changed this to Blocked at .* \(v2\)/));
    expect(owner.store.tasks.get(1)?.status).toBe('blocked');
    within(screen.getByTestId('board.column:blocked')).getByTestId('board.card:1');
    await fireEvent.click(screen.getByText('Apply anyway'));
    await vi.waitFor(() => expect(owner.store.tasks.get(1)).toMatchObject({ status: 'done', version: 3 }));
    expect(screen.queryByTestId('board.lost:1')).toBeNull();
  });

  it('holds the places of a column while the focus is in it', async () => {
    screen.getByTestId('board.card:2').focus();
    update(1, { status: 'done' });
    await id('board.held:pending');
    expect(within(screen.getByTestId('board.column:pending')).getByTestId('board.ghost:1').textContent).toContain('moved to Done by codex');
    expect(document.activeElement).toBe(screen.getByTestId('board.card:2'));
    await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'u' });
    await vi.waitFor(() => expect(screen.queryByTestId('board.ghost:1')).toBeNull());
  });

  it('takes back the last move also when its answer is still on the way', async () => {
    await changes.move([1], 'in_progress');
    owner.latencyMs = 20;
    void changes.move([1], 'done');
    await changes.undo();
    expect(owner.store.tasks.get(1)).toMatchObject({ status: 'in_progress', version: 4 });
  });

  it('leaves the focus on the trace of a card that was moved, which leads to it', async () => {
    screen.getByTestId('board.card:2').focus();
    update(2, { status: 'blocked' });
    const trace = await id('board.ghost:2');
    expect(document.activeElement).toBe(trace);
    expect(trace.textContent).toContain('moved to Blocked by codex');
    await fireEvent.click(trace);
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('board.card:2')));
  });

  it('says when what is asked for is refused, keeps what it shows, and tries again', async () => {
    const view = vi.spyOn(owner, 'view').mockRejectedValueOnce(new Refused({ code: 'STORE_UNAVAILABLE', message: 'the store is closing', issues: [] }));
    session.retry();
    expect((await id('trouble')).textContent).toContain('the store is closing');
    expect(screen.getByTestId('board.card:1')).toBeTruthy();
    view.mockRestore();
    await fireEvent.click(within(screen.getByTestId('trouble')).getByText('Try again'));
    await vi.waitFor(() => expect(screen.queryByTestId('trouble')).toBeNull());
  });

  it('switches the language at once', async () => {
    await fireEvent.click(screen.getByTestId('locale'));
    expect(screen.getByTestId('board.card:1').textContent).toContain('待办');
    expect(document.documentElement.lang).toBe('zh-Hans');
  });
});

describe('a new task', () => {
  it('shows what is wrong at its field, then is made', async () => {
    await fireEvent.keyDown(document.body, { key: 'c' });
    const subject = await screen.findByLabelText(/^Subject/);
    await fireEvent.input(subject, { target: { value: '  ' } });
    await fireEvent.click(screen.getByTestId('new.create'));
    await vi.waitFor(() => expect(document.getElementById('new-subject-problem')?.textContent).toContain('the text is blank'));
    await fireEvent.input(subject, { target: { value: 'Delta' } });
    await fireEvent.keyDown(subject, { key: 'Enter', isComposing: true });
    expect(owner.store.tasks.size).toBe(3);
    await fireEvent.keyDown(subject, { key: 'Enter' });
    await vi.waitFor(() => expect(owner.store.tasks.get(4)).toMatchObject({ subject: 'Delta', createdBy: { kind: 'person' } }));
    await vi.waitFor(() => expect(screen.queryByTestId('new')).toBeNull());
  });
});

describe('the task in the drawer', () => {
  const edit = async (text: string) => {
    place.openTask(1);
    await fireEvent.click(await id('edit:description'));
    const area = await vi.waitFor(() => document.querySelector<HTMLTextAreaElement>('textarea#edit-description') ?? expect.fail('no field'));
    await fireEvent.input(area, { target: { value: text } });
    return area;
  };

  it('saves, and merges a change of another field', async () => {
    await edit('mine');
    update(1, { subject: 'Alpha two' });
    await vi.waitFor(() => expect(screen.getByTestId('savebar').textContent).toContain('v2 by codex'));
    await fireEvent.click(screen.getByTestId('save'));
    await vi.waitFor(() => expect(owner.store.tasks.get(1)).toMatchObject({ subject: 'Alpha two', description: 'mine', version: 3 }));
    expect((await id('notice')).textContent).toContain('merged with the change by codex');
  });

  it('merges also when the race is lost between the click and the call', async () => {
    await edit('mine');
    owner.latencyMs = 20;
    await fireEvent.click(screen.getByTestId('save'));
    update(1, { subject: 'Alpha two' });
    await vi.waitFor(() => expect(owner.store.tasks.get(1)).toMatchObject({ subject: 'Alpha two', description: 'mine', version: 3 }));
  });

  it('leaves the draft alone when the same field changed, and saves only once that is settled', async () => {
    const area = await edit('mine');
    update(1, { description: 'theirs' });
    const conflict = await id('conflict:description');
    expect(conflict.textContent).toContain('codex changed the description while you were editing (v1 → v2)');
    expect(area.value).toBe('mine');
    expect(screen.queryByTestId('save')).toBeNull();
    await fireEvent.keyDown(area, { key: 'Enter', ctrlKey: true });
    await tick();
    expect(owner.store.tasks.get(1)?.description).toBe('theirs');
    await fireEvent.click(within(conflict).getByText('Keep mine'));
    await fireEvent.click(await id('save'));
    await vi.waitFor(() => expect(owner.store.tasks.get(1)).toMatchObject({ description: 'mine', version: 3 }));
  });

  it('takes theirs', async () => {
    await edit('mine');
    update(1, { description: 'theirs' });
    await fireEvent.click(within(await id('conflict:description')).getByText('Take theirs'));
    expect(document.getElementById('edit-description')?.textContent).toBe('theirs');
    expect(owner.store.tasks.get(1)?.version).toBe(2);
  });

  it('keeps the draft of a task that was deleted, and after a reload', async () => {
    await edit('mine');
    owner.agent('codex', 'progress_delete', { id: '1', expectedVersion: 1 });
    const gone = await id('drawer.gone');
    await vi.waitFor(() => expect(gone.textContent).toContain('Your draft is kept'));
    place.closeTask();
    await fireEvent.click(within(gone).getByText('Restore')).catch(() => undefined);
    expect(Object.entries(localStorage).some(([key, value]) => key === 'tallyboard.draft.p1.1' && value.includes('mine'))).toBe(true);
  });

  it('shows the versions, who made them, and goes back to one by a new version', async () => {
    update(1, { status: 'in_progress' });
    update(1, { description: 'Alpha words' });
    place.openTask(1, 'history');
    expect((await id('history.version:2')).textContent).toMatch(/codex.*Pending.*In progress/s);
    place.setCompare(1, 3);
    await fireEvent.click(await id('compare.restore'));
    await vi.waitFor(() => expect(owner.store.tasks.get(1)).toMatchObject({ status: 'pending', description: 'Alpha text', version: 4 }));
    expect(owner.store.tasks.get(1)?.versions.length).toBe(4);
  });

  it('shows the problem of a blocker at its place', async () => {
    place.openTask(1);
    const input = await screen.findByLabelText('Add a blocker by its number');
    await fireEvent.input(input, { target: { value: '1' } });
    await fireEvent.submit(input.closest('form') ?? input);
    await screen.findByText(/closes a circle/);
    await fireEvent.input(input, { target: { value: '#2' } });
    await fireEvent.submit(input.closest('form') ?? input);
    await vi.waitFor(() => expect(owner.store.tasks.get(1)?.blockedBy).toEqual([2]));
  });
});

describe('the owner', () => {
  it('read-only: said, and nothing can be begun', async () => {
    owner.turnReadOnly('the disk is full');
    expect((await id('readonly')).textContent).toContain('the disk is full');
    expect((screen.getByTestId('new.open') as HTMLButtonElement).disabled).toBe(true);
  });
  it('gone: the clock says so with the time of the data', async () => {
    owner.kill();
    await vi.waitFor(() => expect(screen.getByTestId('clock').dataset['state']).toBe('stale'));
    expect(screen.getByTestId('clock').textContent).toMatch(/data as of \d\d:\d\d:\d\d/);
  });
  it('gone for a moment: what was sent is sent again with the same key, and done once', async () => {
    owner.down = true;
    const moving = changes.move([1], 'done');
    session.link = 'stale';
    await tick();
    owner.restart(owner.owner);
    await moving;
    expect(owner.store.tasks.get(1)).toMatchObject({ status: 'done', version: 2 });
  });
  it('whose answer got lost is asked again with the same key, which does nothing twice', async () => {
    owner.answersLost = 1;
    const creating = changes.create({ subject: 'Once' });
    await tick();
    session.link = 'stale';
    await vi.waitFor(() => expect(owner.answersLost).toBe(0));
    owner.restart(owner.owner);
    expect((await creating)?.ok).toBe(true);
    expect([...owner.store.tasks.values()].filter(({ subject }) => subject === 'Once').length).toBe(1);
  });
});
