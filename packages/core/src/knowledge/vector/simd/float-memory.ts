/**
 * Positions of one calculation, as indexes into the floats: of the query, of the first of `count` rows, and of the
 * first product.
 */
export type DotProducts = {
  query: number;
  rows: number;
  count: number;
  /** The number of floats in the query and in each row: a multiple of 16, at least 16. */
  stride: number;
  products: number;
};

/** A growing array of floats for the vectors of a store, with the dot products over them. */
export interface FloatMemory {
  /** The floats of the stored vectors. Growing replaces this array. */
  readonly floats: Float32Array;
  /** Grows to at least `least` floats and keeps the existing floats. Throws a `RangeError` if memory is exhausted. */
  grow(least: number): void;
  /** Writes the dot products of the query with each row into the floats. */
  dotProducts(places: DotProducts): void;
}

/** Floats in an ordinary typed array: for few vectors, and for processes that cannot create a `SimdMemory`. */
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

// Four separate sums: with a single sum, each addition would wait for the previous one.
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
