// Which rows of a column are in the document: those in sight and a few around them.
export const ROW_HEIGHT = { compact: 62, default: 100, comfortable: 118 } as const;
/** Rows of one column; four columns stay within 80. */
const ROWS_MAX = 20;

export interface Span {
  first: number;
  /** Not included. */
  end: number;
}

export function visible(scrollTop: number, height: number, row: number, count: number): Span {
  const top = Math.max(0, Math.min(scrollTop, count * row - height));
  const from = Math.floor(top / row);
  const inSight = Math.max(1, Math.ceil(height / row) + 1);
  const around = Math.max(0, Math.min(3, Math.floor((ROWS_MAX - inSight) / 2)));
  const first = Math.max(0, from - around);
  return { first, end: Math.min(count, from + inSight + around) };
}

/** Where to scroll so that a row is wholly in sight; `null` when it is. */
export function reveal(index: number, scrollTop: number, height: number, row: number): number | null {
  const top = index * row;
  if (top < scrollTop) return top;
  if (top + row > scrollTop + height) return top + row - height;
  return null;
}
