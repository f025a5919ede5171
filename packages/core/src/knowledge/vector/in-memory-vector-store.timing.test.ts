import { afterEach, describe, expect, it, vi } from "vitest";
import { InMemoryVectorStore } from "./in-memory-vector-store.ts";
import { SimdMemory } from "./simd/simd-memory.ts";
import type { VectorSearchOptions } from "./vector-store.ts";

const dimensions = 1536;

let draws = 0;
/** Draws a number from -0.5 to 0.5, the same ones in each run: those of a quadratic phase look random. */
const draw = () => Math.sin((draws += 1) ** 2) / 2;

/** Fills a store with random vectors, and one array with the same ones. */
async function fill(count: number): Promise<{ store: InMemoryVectorStore; rows: Float32Array }> {
  const store = new InMemoryVectorStore();
  const rows = Float32Array.from({ length: count * dimensions }, draw);
  for (let first = 0; first < count; first += 1000) {
    const upsert = Array.from({ length: 1000 }, (_, index) => {
      const start = (first + index) * dimensions;
      return {
        id: String(first + index),
        content: "",
        embedding: Array.from(rows.subarray(start, start + dimensions)),
        metadata: { part: (first + index) % 100 },
      };
    });
    await store.write({ upsert });
  }
  return { store, rows };
}

const newQuery = () => Array.from({ length: dimensions }, draw);

/** Returns the median of how many times as long the first takes as the second, each round with both. */
async function ratioOf(first: () => unknown, second: () => unknown): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < 15; round++) ratios.push((await timeOf(first)) / (await timeOf(second)));
  return ratios.toSorted((one, other) => one - other)[7] ?? Number.NaN;
}

async function timeOf(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** A search over arrays of numbers that computes everything each time. */
function searchArrays(vectors: readonly (readonly number[])[], query: readonly number[]): number[] {
  const scores = vectors.map((vector) => {
    let dot = 0;
    let one = 0;
    let other = 0;
    for (let index = 0; index < dimensions; index++) {
      const left = vector[index] as number;
      const right = query[index] as number;
      dot += left * right;
      one += left * left;
      other += right * right;
    }
    return dot / Math.sqrt(one * other);
  });
  return [...scores.keys()].toSorted((a, b) => (scores[b] as number) - (scores[a] as number)).slice(0, 10);
}

/** A loop written by hand for speed: the dot products of one vector with all, in four sums. */
function multiplyByHand(rows: Float32Array, query: Float32Array, products: Float32Array): void {
  for (let row = 0; row < products.length; row++) {
    const start = row * dimensions;
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let index = 0; index < dimensions; index += 4) {
      a += (rows[start + index] as number) * (query[index] as number);
      b += (rows[start + index + 1] as number) * (query[index + 1] as number);
      c += (rows[start + index + 2] as number) * (query[index + 2] as number);
      d += (rows[start + index + 3] as number) * (query[index + 3] as number);
    }
    products[row] = a + b + (c + d);
  }
}

describe("InMemoryVectorStore", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it("searches at least three times as fast as arrays of numbers, with the same result", async () => {
    const { store, rows } = await fill(5000);
    const vectors = Array.from({ length: 5000 }, (_, row) =>
      Array.from(rows.subarray(row * dimensions, (row + 1) * dimensions)),
    );
    const query = newQuery();

    const found = await store.search(query);
    expect(found.map(({ document }) => Number(document.id))).toEqual(searchArrays(vectors, query));
    const ratio = await ratioOf(
      () => searchArrays(vectors, query),
      () => store.search(query),
    );
    expect(ratio).toBeGreaterThan(3);
  });

  it("finds the nearest ten within 1.3 times of what its vector instructions need for the same bytes", async () => {
    const count = 20_000;
    const { store, rows } = await fill(count);
    const memory = SimdMemory.create();
    if (memory === undefined) throw new Error("The tests need WebAssembly with vector instructions.");
    memory.grow(dimensions + rows.length + count);
    memory.floats.set(newQuery());
    memory.floats.set(rows, dimensions);
    const places = { query: 0, rows: dimensions, count, stride: dimensions, products: dimensions + rows.length };
    const query = newQuery();

    const ratio = await ratioOf(
      () => store.search(query),
      () => memory.dotProducts(places),
    );
    expect(ratio).toBeLessThan(1.3);
  });

  it("searches among a hundredth by multiplying that hundredth alone, in half of the time of a search among all", async () => {
    const { store } = await fill(20_000);
    const query = newQuery();
    const among = async (options?: VectorSearchOptions) => {
      const multiply = vi.spyOn(SimdMemory.prototype, "dotProducts");
      await store.search(query, options);
      const rows = multiply.mock.calls.reduce((sum, [{ count }]) => sum + count, 0);
      multiply.mockRestore();
      return rows;
    };

    expect([await among({ filter: { part: 7 } }), await among()]).toEqual([200, 20_000]);
    const ratio = await ratioOf(
      () => store.search(query, { filter: { part: 7 } }),
      () => store.search(query),
    );
    // What is left is the filter, which waits for the memory: between a sixth and a quarter of the whole, by the machine.
    expect(ratio).toBeLessThan(0.5);
  });

  it("lists many pages in little more time than one page", async () => {
    const store = new InMemoryVectorStore();
    const upsert = Array.from({ length: 10_000 }, (_, index) => ({ id: `é${index}`, content: "", embedding: [1] }));
    const list = async (limit: number) => {
      // A new id is sorted into its place by the next list.
      await store.write({ upsert: [{ id: `é${draw()}`, content: "", embedding: [1] }] });
      let after: string | undefined;
      do after = (await store.list({ after, limit })).next;
      while (after !== undefined);
    };
    await store.write({ upsert });

    const ratio = await ratioOf(
      () => list(50),
      () => list(10_000),
    );
    expect(ratio).toBeLessThan(10);
  });

  it("finds the nearest ten without vector instructions within 1.3 times of a loop by hand", async () => {
    vi.stubGlobal("WebAssembly", undefined);
    const count = 10_000;
    const { store, rows } = await fill(count);
    const [products, query] = [new Float32Array(count), newQuery()];
    const floats = Float32Array.from(query);

    const ratio = await ratioOf(
      () => store.search(query),
      () => multiplyByHand(rows, floats, products),
    );
    expect(ratio).toBeLessThan(1.3);
  });
});
