import { describe, expect, it, vi } from 'vitest';
import { Keymap } from './keymap';

const press = (map: Keymap, key: string, init: KeyboardEventInit = {}, target: Element = document.body) => {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
  Object.defineProperty(event, 'target', { value: target });
  return map.handle(event);
};

describe('keys', () => {
  it('mean what they say, with their modifiers', () => {
    const run = vi.fn();
    const map = new Keymap([{ keys: 'Ctrl+K', run }, { keys: 'Shift+J', run }, { keys: '?', run }, { keys: 'Alt+ArrowLeft', run }]);
    expect(press(map, 'k')).toBe(false);
    expect(press(map, 'k', { ctrlKey: true })).toBe(true);
    expect(press(map, 'k', { metaKey: true })).toBe(true);
    expect(press(map, 'J', { shiftKey: true })).toBe(true);
    expect(press(map, 'j')).toBe(false);
    expect(press(map, '?', { shiftKey: true })).toBe(true);
    expect(press(map, 'ArrowLeft', { altKey: true })).toBe(true);
    expect(run).toHaveBeenCalledTimes(5);
  });

  it('are letters in a field, but for those that work there too', () => {
    const map = new Keymap([{ keys: 'C', run: () => undefined }, { keys: 'Ctrl+K', run: () => undefined, inFields: true }]);
    const input = document.createElement('input');
    expect(press(map, 'c', {}, input)).toBe(false);
    expect(press(map, 'k', { ctrlKey: true }, input)).toBe(true);
    const box = document.createElement('input');
    box.type = 'checkbox';
    expect(press(map, 'c', {}, box)).toBe(true);
  });

  it('are an input method’s while it composes', () => {
    const map = new Keymap([{ keys: 'C', run: () => undefined, inFields: true }]);
    expect(press(map, 'c', { isComposing: true })).toBe(false);
    expect(press(map, 'c', { keyCode: 229 })).toBe(false);
    expect(press(map, 'c')).toBe(true);
  });

  it('come in sequences, which end with the wrong key', () => {
    const [board, create] = [vi.fn(), vi.fn()];
    const map = new Keymap([{ keys: 'G B', run: board }, { keys: 'G C', run: board }, { keys: 'C', run: create }]);
    press(map, 'g');
    press(map, 'b');
    press(map, 'g');
    press(map, 'c');
    expect(board).toHaveBeenCalledTimes(2);
    press(map, 'g');
    press(map, 'x');
    press(map, 'b');
    expect(board).toHaveBeenCalledTimes(2);
    press(map, 'c');
    expect(create).toHaveBeenCalledTimes(1);
  });
});
