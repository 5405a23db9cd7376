import { expect, it } from 'vitest';
import { inTurns } from './turns';

it('runs a few at once, and gives the results in order', async () => {
  let running = 0;
  let most = 0;
  const results = await inTurns([5, 1, 4, 2, 3], 2, async (ms) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((done) => setTimeout(done, ms));
    running -= 1;
    return ms * 10;
  });
  expect(results).toEqual([50, 10, 40, 20, 30]);
  expect(most).toBe(2);
});
