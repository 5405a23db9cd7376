// The colours of a canvas are those of the page's tokens, read when they may have changed.
export interface Colours {
  text: string;
  faint: string;
  border: string;
  ground: string;
  accent: string;
  states: string[];
}

export function colours(of: Element): Colours {
  const style = getComputedStyle(of);
  const token = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: token('--text'), faint: token('--text-3'), border: token('--border'), ground: token('--bg'), accent: token('--accent'),
    // In the order of the states: plain, ok, asked, rogue, failed, rejected.
    states: ['--pending', '--in-progress', '--blocked', '--blocked', '--danger', '--refused'].map(token),
  };
}

/** `#rrggbb` or `#rgb` as three numbers. */
export function rgb(colour: string): [number, number, number] {
  const found = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(colour)?.[1] ?? '808080';
  // A build shortens `#ffffff` to `#fff`.
  const hex = found.length === 3 ? [...found].map((digit) => digit + digit).join('') : found;
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as [number, number, number];
}
