// A list of any length in an element of bounded height: browsers cannot make an element higher than
// some 33 million pixels, so beyond that the scrolled space is scaled.
const HEIGHT_MAX = 8_000_000;
/** Rows in the document at most. */
export const ROWS_MAX = 72;

export class ScrollSpace {
  readonly count: number;
  readonly row: number;
  readonly height: number;
  constructor(count: number, row: number, height: number) {
    this.count = count;
    this.row = row;
    this.height = height;
  }

  /** What the rows would need. */
  get whole(): number {
    return this.count * this.row;
  }
  /** What the scrolled element gets. */
  get space(): number {
    return Math.min(this.whole, HEIGHT_MAX);
  }
  private get scale(): number {
    const scrolled = this.space - this.height;
    return scrolled > 0 ? (this.whole - this.height) / scrolled : 1;
  }

  /** Where the rows stand, in pixels of the whole, when the element is scrolled to `top`. */
  offset(top: number): number {
    const kept = Math.min(Math.max(top, 0), Math.max(0, this.space - this.height));
    return kept * this.scale;
  }
  /** Where to scroll so that the rows stand at `offset`. */
  top(offset: number): number {
    return Math.min(Math.max(offset, 0), Math.max(0, this.whole - this.height)) / this.scale;
  }
  /** The rows in sight, and how far above the element's top the first of them begins. */
  visible(top: number): { first: number; end: number; shift: number } {
    const offset = this.offset(top);
    const first = Math.min(Math.floor(offset / this.row), Math.max(0, this.count - 1));
    const end = Math.min(this.count, first + Math.min(ROWS_MAX, Math.ceil(this.height / this.row) + 1));
    return { first, end, shift: first * this.row - offset };
  }
  /** Where to scroll so that a row is in sight; `null`: it is. */
  reveal(index: number, top: number): number | null {
    const offset = this.offset(top);
    const start = index * this.row;
    if (start < offset) return this.top(start);
    if (start + this.row > offset + this.height) return this.top(start + this.row - this.height);
    return null;
  }
}
