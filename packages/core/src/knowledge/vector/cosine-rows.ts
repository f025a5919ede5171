import { TroupeError } from "../../base/errors/troupe-error.ts";
import { PlainMemory } from "./simd/float-memory.ts";
import type { FloatMemory } from "./simd/float-memory.ts";
import { SimdMemory } from "./simd/simd-memory.ts";

const lanes = 16;
const rowsAtOnce = 1024;
// The number of floats from which vectors are kept in SIMD memory: 1 MB. Smaller collections are fast without SIMD, and
// a process may have thousands of collections.
const smallestSimd = 2 ** 18;

/** A vector with its Euclidean length. The length is measured once, because each cosine is divided by it. */
export type MeasuredVector = { readonly vector: ArrayLike<number>; readonly length: number };

type CosineVisit = (row: number, cosine: number) => void;

/**
 * Vectors of one length as contiguous rows of 32-bit floats, and their cosines with another vector. The space before
 * the rows holds the other vector and the products of one batch.
 */
export class CosineRows {
  readonly dimensions: number;
  readonly #stride: number;
  readonly #start: number;
  readonly #lengths: number[] = [];
  #memory: FloatMemory = new PlainMemory();

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#stride = Math.ceil(dimensions / lanes) * lanes;
    this.#start = this.#stride + rowsAtOnce;
  }

  /** Writes a vector into an existing row, or appends it as the next row. */
  set(row: number, { vector, length }: MeasuredVector): void {
    this.reserve(row + 1);
    this.#memory.floats.set(vector, this.#place(row));
    this.#lengths[row] = length;
  }

  /** Removes the vector of a row by moving the last row into its place. */
  replaceByLast(row: number): void {
    const length = this.#lengths.pop();
    const last = this.#lengths.length;
    if (length === undefined || row === last) return;
    this.#memory.floats.copyWithin(this.#place(row), this.#place(last), this.#place(last + 1));
    this.#lengths[row] = length;
  }

  /** Returns the vector of a row, as rounded to 32-bit floats. */
  get(row: number): number[] {
    const place = this.#place(row);
    return Array.from(this.#memory.floats.subarray(place, place + this.dimensions));
  }

  /** Calls `visit` with the cosine of each row and the given vector. */
  eachCosine(measured: MeasuredVector, visit: CosineVisit): void {
    this.#setQuery(measured);
    this.#visitRange({ first: 0, end: this.#lengths.length }, visit);
  }

  /**
   * Calls `visit` with the cosine of some rows and the given vector. The rows are chosen by their numbers, in ascending
   * order.
   */
  eachCosineOf(chosen: readonly number[], measured: MeasuredVector, visit: CosineVisit): void {
    this.#setQuery(measured);
    for (let at = 0; at < chosen.length;) {
      const first = chosen[at] as number;
      let end = first;
      // Adjacent rows are multiplied by one call.
      for (; chosen[at] === end; at++) end += 1;
      this.#visitRange({ first, end }, visit);
    }
  }

  #setQuery({ vector, length }: MeasuredVector): void {
    const { floats } = this.#memory;
    for (let index = 0; index < this.dimensions; index++) floats[index] = (vector[index] as number) / length;
  }

  #visitRange(range: { first: number; end: number }, visit: CosineVisit): void {
    const { floats } = this.#memory;
    for (let first = range.first; first < range.end; first += rowsAtOnce) {
      const count = Math.min(rowsAtOnce, range.end - first);
      const [stride, products] = [this.#stride, this.#stride];
      this.#memory.dotProducts({ query: 0, rows: this.#place(first), count, stride, products });
      for (let at = 0; at < count; at++) {
        const cosine = (floats[products + at] as number) / (this.#lengths[first + at] as number);
        // Rounding may move a cosine slightly out of the range from -1 to 1.
        visit(first + at, Math.max(-1, Math.min(1, cosine)));
      }
    }
  }

  #place(row: number): number {
    return this.#start + row * this.#stride;
  }

  /** Reserves space for this number of vectors. Throws `limit_exceeded` if memory is exhausted. */
  reserve(rows: number): void {
    const length = this.#place(rows);
    if (length <= this.#memory.floats.length) return;
    try {
      if (this.#memory instanceof PlainMemory && length > smallestSimd) this.#changeToSimd(length);
      else this.#memory.grow(length);
    } catch (cause) {
      const message = "The in-memory vector store is full. Use a vector database for so many documents.";
      throw new TroupeError("limit_exceeded", message, { cause });
    }
  }

  #changeToSimd(length: number): void {
    const { floats } = this.#memory;
    const memory = SimdMemory.create() ?? this.#memory;
    memory.grow(length);
    memory.floats.set(floats);
    this.#memory = memory;
  }
}
