/** Where the numbers of a calculation lie, as indexes of floats. */
export type DotProducts = {
  /** Where the query begins. */
  query: number;
  /** Where the first row begins. Rows follow one another. */
  rows: number;
  count: number;
  /** The floats of one row and of the query: a multiple of 16, at least 16. */
  stride: number;
  /** Where the products go, one behind the other. */
  products: number;
};

/** Floats in one piece, and a calculation over them. */
export interface FloatMemory {
  /** All floats. Growing replaces this array. */
  readonly floats: Float32Array;
  /** Makes room for so many floats and more, and keeps those there are; a `RangeError` when there is no room. */
  grow(least: number): void;
  /** Multiplies the query with each row. */
  dotProducts(places: DotProducts): void;
}

/** Floats in an ordinary typed array. */
export class PlainMemory implements FloatMemory {
  floats = new Float32Array();

  grow(least: number): void {
    const grown = new Float32Array(Math.max(least, 2 * this.floats.length));
    grown.set(this.floats);
    this.floats = grown;
  }

  dotProducts({ query, rows, count, stride, products }: DotProducts): void {
    const { floats } = this;
    for (let row = 0; row < count; row++) {
      floats[products + row] = dotProduct(floats, { left: query, right: rows + row * stride, stride });
    }
  }
}

type Pair = { left: number; right: number; stride: number };

// Four sums, because one would have to wait for itself at each step.
function dotProduct(floats: Float32Array, { left, right, stride }: Pair): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let index = 0; index < stride; index += 4) {
    const one = left + index;
    const other = right + index;
    a += (floats[one] as number) * (floats[other] as number);
    b += (floats[one + 1] as number) * (floats[other + 1] as number);
    c += (floats[one + 2] as number) * (floats[other + 2] as number);
    d += (floats[one + 3] as number) * (floats[other + 3] as number);
  }
  return a + b + (c + d);
}
