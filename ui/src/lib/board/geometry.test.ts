import { describe, expect, it } from 'vitest';
import { edgeSpeed, idle, moveTo, press, target } from './drag';
import { reveal, visible } from './rows';

describe('a drag', () => {
  it('begins after four pixels, and then goes on however near', () => {
    const pressed = press(3, { x: 10, y: 10 });
    expect(moveTo(pressed, { x: 12, y: 12 }).state).toBe('pressed');
    const dragging = moveTo(pressed, { x: 14, y: 10 });
    expect(dragging.state).toBe('dragging');
    expect(moveTo(dragging, { x: 10, y: 10 }).state).toBe('dragging');
    expect(moveTo(idle, { x: 99, y: 99 })).toBe(idle);
  });

  it('finds the column under the pointer', () => {
    const boxes = [
      { left: 0, right: 100, top: 0, bottom: 50, value: 'a' },
      { left: 100, right: 200, top: 0, bottom: 50, value: 'b' },
    ];
    expect(target(boxes, { x: 99.5, y: 20 })).toBe('a');
    expect(target(boxes, { x: 100, y: 20 })).toBe('b');
    expect(target(boxes, { x: 150, y: 60 })).toBeNull();
  });

  it('scrolls towards an edge, faster the nearer', () => {
    expect(edgeSpeed(500, 0, 1000)).toBe(0);
    expect(edgeSpeed(10, 0, 1000)).toBeLessThan(edgeSpeed(40, 0, 1000));
    expect(edgeSpeed(995, 0, 1000)).toBeGreaterThan(0);
    expect(edgeSpeed(-30, 0, 1000)).toBe(-18);
  });
});

describe('the rows of a column', () => {
  it('are those in sight and a few around', () => {
    expect(visible(0, 600, 100, 1000)).toEqual({ first: 0, end: 10 });
    expect(visible(5000, 600, 100, 1000)).toEqual({ first: 47, end: 60 });
    expect(visible(0, 600, 100, 3)).toEqual({ first: 0, end: 3 });
  });
  it('do not run past the end when the column got shorter', () => {
    expect(visible(90_000, 600, 100, 10)).toEqual({ first: 1, end: 10 });
  });
  it.each([62, 100, 118])('stay within eighty for four columns of rows %i high on a tall screen', (row) => {
    const { first, end } = visible(50_000, 1000, row, 10_000);
    expect(end - first).toBeLessThanOrEqual(20);
  });
  it('scroll no further than needed', () => {
    expect(reveal(3, 0, 600, 100)).toBeNull();
    expect(reveal(9, 0, 600, 100)).toBe(400);
    expect(reveal(1, 400, 600, 100)).toBe(100);
  });
});
