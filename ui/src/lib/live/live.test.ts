import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeOwner } from '../client/fake';
import { Refetch, throttled } from './refetch';
import { Session } from './session.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());
const settle = () => vi.advanceTimersByTimeAsync(1);

describe('a refetch', () => {
  it('has one request in flight and one after it, however often it is asked for', async () => {
    let running = 0;
    let runs = 0;
    const refetch = new Refetch(async () => {
      runs += 1;
      running += 1;
      expect(running).toBe(1);
      await new Promise((done) => setTimeout(done, 10));
      running -= 1;
    });
    for (let i = 0; i < 50; i += 1) refetch.ask();
    await vi.advanceTimersByTimeAsync(100);
    expect(runs).toBe(2);
    refetch.ask();
    await vi.advanceTimersByTimeAsync(100);
    expect(runs).toBe(3);
  });
  it('goes on after a failure', async () => {
    let runs = 0;
    const refetch = new Refetch(async () => {
      runs += 1;
      await Promise.resolve();
    });
    refetch.ask();
    await settle();
    refetch.ask();
    await settle();
    expect(runs).toBe(2);
  });
});

it('throttled: at once, then once for all that came meanwhile', async () => {
  const run = vi.fn();
  const ask = throttled(400, run);
  ask();
  ask();
  ask();
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(400);
  expect(run).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(4000);
  expect(run).toHaveBeenCalledTimes(2);
});

describe('a session', () => {
  const started = async () => {
    const owner = new FakeOwner();
    owner.agent('codex', 'progress_create', { subject: 'one' });
    const session = new Session();
    session.start(owner, null);
    await settle();
    return { owner, session };
  };

  it('loads the board once, then follows it by what changed', async () => {
    const { owner, session } = await started();
    expect([session.phase, session.link, session.board.cards.size]).toEqual(['ready', 'live', 1]);
    owner.agent('codex', 'progress_create', { subject: 'two' });
    await settle();
    expect(session.board.cards.get(2)?.subject).toBe('two');
    expect(session.events.items[0]?.kind).toBe('task_created');
    session.end();
  });

  it('asks for nothing while nothing happens', async () => {
    const { owner, session } = await started();
    await vi.advanceTimersByTimeAsync(1000);
    owner.asked.length = 0;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(owner.asked).toEqual([]);
    session.end();
  });

  it('is stale when the owner is gone, and when it is silent for two seconds', async () => {
    const { owner, session } = await started();
    owner.kill();
    expect(session.link).toBe('stale');
    owner.restart();
    await settle();
    expect(session.link).toBe('live');
    owner.down = true;
    await vi.advanceTimersByTimeAsync(1900);
    expect(session.link).toBe('live');
    await vi.advanceTimersByTimeAsync(1200);
    expect(session.link).toBe('stale');
    session.end();
  });

  it('fetches everything from an owner it does not know', async () => {
    const { owner, session } = await started();
    owner.agent('codex', 'progress_create', { subject: 'two' });
    await settle();
    owner.kill();
    // Another store altogether: what was there must not stay on the screen.
    owner.store.tasks.clear();
    owner.store.create({ kind: 'agent', name: 'codex' }, { subject: 'other', description: null, blockedBy: [] });
    owner.restart();
    await settle();
    expect([...session.board.cards.values()].map(({ subject }) => subject)).toEqual(['other']);
    session.end();
  });

  it('shows nothing new while it is paused, counts it, and then shows it at once', async () => {
    const { owner, session } = await started();
    session.setPaused(true);
    const { tick } = session;
    owner.agent('codex', 'progress_create', { subject: 'two' });
    owner.agent('codex', 'progress_create', { subject: 'three' });
    await vi.advanceTimersByTimeAsync(3000);
    expect([session.tick, session.latest - session.position]).toEqual([tick, 2]);
    session.setPaused(false);
    await settle();
    expect(session.board.cards.size).toBe(3);
    session.end();
  });

  it('says when the browser is not signed in', async () => {
    const owner = new FakeOwner();
    owner.signedOut = true;
    const session = new Session();
    session.start(owner, null);
    await settle();
    expect(session.phase).toBe('signed_out');
    session.end();
  });

  it('notices a change that the feed did not tell, by the next beat', async () => {
    const { owner, session } = await started();
    owner.store.create({ kind: 'agent', name: 'codex' }, { subject: 'untold', description: null, blockedBy: [] });
    await vi.advanceTimersByTimeAsync(1100);
    expect(session.board.cards.size).toBe(2);
    session.end();
  });
});
