// Where the rows of a virtual list are: rows have one height, headings another, and nothing is measured. Pure.

export class Layout {
  /** `heads` are the places before which a heading stands, in rising order. */
  constructor(readonly row: number, readonly head: number, readonly heads: readonly number[], readonly total: number) {}

  /** How many headings stand at or before a row. */
  private headsTo(index: number): number {
    let low = 0, high = this.heads.length;
    while (low < high) { const middle = (low + high) >> 1; if (this.heads[middle]! <= index) low = middle + 1; else high = middle; }
    return low;
  }

  /** The top of a row, below its heading. */
  top(index: number): number { return index * this.row + this.headsTo(index) * this.head; }

  get height(): number { return this.total * this.row + this.heads.length * this.head; }

  /** The row at a height; the last one if there is none. */
  at(y: number): number {
    let low = 0, high = Math.max(0, this.total - 1);
    while (low < high) { const middle = (low + high + 1) >> 1; if (this.top(middle) <= y) low = middle; else high = middle - 1; }
    return low;
  }

  /** Which rows to draw for what is visible, with some more on both sides. */
  window(scroll: number, visible: number, more = 6): [number, number] {
    if (this.total === 0) return [0, 0];
    return [Math.max(0, this.at(scroll) - more), Math.min(this.total, this.at(scroll + visible) + 1 + more)];
  }
}
