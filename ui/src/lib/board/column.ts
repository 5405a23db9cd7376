// One column: ids in order, and the order that is shown while a person is in the column.

/** The first place at which (key, id) may stand. */
function placeOf(ids: number[], keys: Map<number, number>, key: number, id: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = ids[middle] ?? 0;
    const otherKey = keys.get(other) ?? 0;
    if (otherKey < key || (otherKey === key && other < id)) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class Column {
  readonly ids: number[] = [];
  private readonly keys = new Map<number, number>();
  /** While held: what is shown, what of it came in meanwhile, and whose place would change. */
  private frozen: { ids: number[]; known: Set<number>; arrived: Set<number>; moved: Set<number> } | null = null;

  get shown(): readonly number[] {
    return this.frozen?.ids ?? this.ids;
  }
  get heldMoves(): number {
    return this.frozen?.moved.size ?? 0;
  }
  get holding(): boolean {
    return this.frozen !== null;
  }
  has(id: number): boolean {
    return this.keys.has(id);
  }

  reset(entries: Iterable<readonly [id: number, key: number]>): void {
    this.keys.clear();
    for (const [id, key] of entries) this.keys.set(id, key);
    this.ids.length = 0;
    for (const id of this.keys.keys()) this.ids.push(id);
    this.ids.sort((a, b) => (this.keys.get(a) ?? 0) - (this.keys.get(b) ?? 0) || a - b);
    if (this.frozen) this.hold();
  }

  /** Places stay as they are from now on. */
  hold(): void {
    this.frozen = { ids: this.ids.slice(), known: new Set(this.ids), arrived: new Set(), moved: new Set() };
  }

  release(): void {
    this.frozen = null;
  }

  /** `own`: the person who is in the column did it, so it shows at once. */
  put(id: number, key: number, own = false): void {
    const before = this.keys.get(id);
    if (before === key) return;
    let from = -1;
    if (before !== undefined) {
      from = placeOf(this.ids, this.keys, before, id);
      this.ids.splice(from, 1);
    }
    const at = placeOf(this.ids, this.keys, key, id);
    this.ids.splice(at, 0, id);
    this.keys.set(id, key);
    this.frozenPut(id, at, from, own);
  }

  private frozenPut(id: number, at: number, from: number, own: boolean): void {
    const { frozen } = this;
    if (!frozen) return;
    if (!frozen.known.has(id)) {
      frozen.known.add(id);
      frozen.arrived.add(id);
      if (own) {
        const before = this.ids.slice(0, at).findLast((other) => frozen.known.has(other) && other !== id);
        frozen.ids.splice(before === undefined ? 0 : frozen.ids.indexOf(before) + 1, 0, id);
      } else {
        // At the end nothing moves for it, and it is not out of sight.
        frozen.ids.push(id);
        frozen.moved.add(id);
      }
    } else if (from === -1) {
      frozen.moved.delete(id);
    } else if (from !== at && !own) {
      frozen.moved.add(id);
    }
  }

  take(id: number, own = false): void {
    const key = this.keys.get(id);
    if (key === undefined) return;
    this.ids.splice(placeOf(this.ids, this.keys, key, id), 1);
    this.keys.delete(id);
    const { frozen } = this;
    if (!frozen) return;
    if (own || frozen.arrived.has(id)) {
      frozen.ids.splice(frozen.ids.indexOf(id), 1);
      frozen.known.delete(id);
      frozen.arrived.delete(id);
      frozen.moved.delete(id);
    } else {
      frozen.moved.add(id);
    }
  }
}
