import * as fc from "fast-check";
import { describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { PlainMemory } from "./float-memory.ts";
import type { FloatMemory } from "./float-memory.ts";
import { SimdMemory } from "./simd-memory.ts";

/** The memory of `WebAssembly`, which has no types here. */
const { Memory: WebAssemblyMemory } = (globalThis as unknown as { WebAssembly: { Memory: GrowingMemory } }).WebAssembly;
type GrowingMemory = { prototype: { grow: (more: number) => number } };

function simdMemory(): SimdMemory {
  const memory = SimdMemory.create();
  if (memory === undefined) throw new Error("The tests need WebAssembly with vector instructions.");
  return memory;
}

describe("the memory of WebAssembly", () => {
  /** A memory of this many pages that notes by how many more it is asked to grow. */
  function growing(pages: number): { memory: SimdMemory; grown: number[] } {
    const memory = simdMemory();
    const grown: number[] = [];
    const grow = vi.spyOn(WebAssemblyMemory.prototype, "grow").mockImplementation((more: number) => grown.push(more));
    onTestFinished(() => grow.mockRestore());
    memory.floats = { byteLength: pages * 65_536 } as Float32Array;
    return { memory, grown };
  }

  it.each([
    [0, 1, 1],
    [0, 16_384, 1],
    [0, 16_385, 2],
    [4, 5 * 16_384, 4],
    [4, 9 * 16_384, 5],
    [32_767, 32_768 * 16_384, 32_767],
    // Twice as much cannot be addressed.
    [40_000, 40_001 * 16_384, 25_535],
    [65_534, 65_535 * 16_384, 1],
  ])("the memory of WebAssembly of %d pages grows for %d floats by %d pages", (pages, least, more) => {
    const { memory, grown } = growing(pages);
    memory.grow(least);
    expect(grown).toEqual([more]);
  });

  it("refuses to grow beyond what can be addressed", () => {
    const { memory, grown } = growing(40_000);
    expect(() => memory.grow(65_535 * 16_384 + 1)).toThrow(RangeError);
    expect(grown).toEqual([]);
  });
});

describe.each<[string, () => FloatMemory]>([
  ["PlainMemory", () => new PlainMemory()],
  ["SimdMemory", simdMemory],
])("%s", (_name, create) => {
  it("multiplies the query with each row and writes nowhere else", () => {
    const float = fc.integer({ min: -100, max: 100 });
    const shape = fc.record({ blocks: fc.integer({ min: 1, max: 5 }), count: fc.integer({ min: 1, max: 9 }) });

    fc.assert(
      fc.property(shape, fc.infiniteStream(float), ({ blocks, count }, numbers) => {
        const stride = 16 * blocks;
        const memory = create();
        memory.grow(stride * (count + 1) + count + 2);
        for (const index of memory.floats.keys()) memory.floats[index] = numbers.next().value ?? 0;
        const before = Array.from(memory.floats);
        const products = stride * (count + 1) + 1;
        memory.dotProducts({ query: 0, rows: stride, count, stride, products });

        const expected = before.with(0, before[0] ?? 0);
        for (let row = 0; row < count; row++) {
          const start = stride * (row + 1);
          expected[products + row] = before
            .slice(0, stride)
            .reduce((sum, value, index) => sum + value * (before[start + index] ?? 0), 0);
        }
        expect(Array.from(memory.floats)).toEqual(expected);
      }),
      { numRuns: { few: 8, many: 50 }[inject("trials")] },
    );
  });

  it("keeps its floats when it grows, with zeros behind them", () => {
    const memory = create();
    memory.grow(3);
    memory.floats.set([1, 2, 3]);
    memory.grow(100_000);

    expect(memory.floats.length).toBeGreaterThanOrEqual(100_000);
    expect(Array.from(memory.floats.subarray(0, 4))).toEqual([1, 2, 3, 0]);
  });

  it("grows by more than asked, so that growing step by step stays cheap", () => {
    const memory = create();
    memory.grow(100_000);
    const { floats } = memory;
    memory.grow(floats.length + 1);

    expect(memory.floats.length).toBeGreaterThan(1.5 * floats.length);
  });
});

describe("SimdMemory", () => {
  it("refuses to grow beyond 4 GB", () => {
    expect(() => simdMemory().grow(2 ** 30)).toThrow(RangeError);
  });
});
