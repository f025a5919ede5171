import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlainMemory } from "./float-memory.ts";
import type { FloatMemory } from "./float-memory.ts";
import { SimdMemory } from "./simd-memory.ts";

function simdMemory(): SimdMemory {
  const memory = SimdMemory.create();
  if (memory === undefined) throw new Error("The tests need WebAssembly with vector instructions.");
  return memory;
}

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
      { numRuns: 50 },
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
