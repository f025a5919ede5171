import { afterEach, describe, expect, it, vi } from "vitest";
import { CosineRows } from "./cosine-rows.ts";

const dimensions = 100;
// Enough for several growths, the change of memory and more than one batch.
const count = 5000;

/** Vectors that any run makes alike. */
function vectorOf(seed: number): number[] {
  return Array.from({ length: dimensions }, (_, index) => Math.sin(seed * 7919 + index * 104_729));
}

function measured(vector: number[]) {
  return { vector, length: Math.hypot(...vector) };
}

function cosinesOf(rows: CosineRows, query: number[]): number[] {
  const cosines: number[] = [];
  rows.eachCosine(measured(query), (row, cosine) => (cosines[row] = cosine));
  return cosines;
}

/** The vectors of all rows. */
const vectors = Array.from({ length: count }, (_, row) => measured(vectorOf(row)));

function filled(): CosineRows {
  const rows = new CosineRows(dimensions);
  for (const [row, vector] of vectors.entries()) rows.set(row, vector);
  return rows;
}

describe("CosineRows", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("returns the cosine of every row, over all batches", () => {
    const query = vectorOf(-1);
    const cosines = cosinesOf(filled(), query);

    expect(cosines).toHaveLength(count);
    for (const [row, cosine] of cosines.entries()) {
      const { vector, length } = measured(vectorOf(row));
      const dot = vector.reduce((sum, value, index) => sum + value * (query[index] ?? 0), 0);
      expect(Math.abs(cosine - dot / length / measured(query).length)).toBeLessThan(1e-6);
    }
  });

  it.each([
    [[]],
    [[0]],
    [[count - 1]],
    [[0, 1, 2, 5, 1023, 1024, 1025, 2048, count - 2, count - 1]],
    [Array.from({ length: 1500 }, (_, row) => row + 3)],
  ])("returns the cosines of chosen rows alone", (chosen) => {
    const rows = filled();
    const all = cosinesOf(rows, vectorOf(-1));
    const visited: [number, number][] = [];
    rows.eachCosineOf(chosen, measured(vectorOf(-1)), (row, cosine) => visited.push([row, cosine]));

    expect(visited).toEqual(chosen.map((row) => [row, all[row]]));
  });

  it("returns the same cosines where WebAssembly is missing", () => {
    const withSimd = cosinesOf(filled(), vectorOf(-1));
    vi.stubGlobal("WebAssembly", undefined);
    const without = cosinesOf(filled(), vectorOf(-1));

    for (const [row, cosine] of without.entries()) expect(Math.abs(cosine - (withSimd[row] ?? NaN))).toBeLessThan(1e-6);
  });

  it("returns the same cosines where code generation is disallowed", () => {
    const refuse = () => {
      throw new Error("Wasm code generation disallowed by embedder");
    };
    vi.stubGlobal("WebAssembly", { Memory: refuse, Module: refuse, Instance: refuse });

    expect(cosinesOf(filled(), vectorOf(5))[5]).toBeCloseTo(1, 6);
  });

  it("keeps every rounded vector through all growths", () => {
    const rows = filled();

    for (const row of [0, 1, 2620, 2621, count - 1]) expect(rows.get(row)).toEqual(vectorOf(row).map(Math.fround));
  });

  it("moves the last row into the place of a removed one", () => {
    const rows = filled();
    rows.replaceByLast(3);
    rows.replaceByLast(count - 2);

    expect(rows.get(3)).toEqual(vectorOf(count - 1).map(Math.fround));
    expect(cosinesOf(rows, vectorOf(5))).toHaveLength(count - 2);
    expect(cosinesOf(rows, vectorOf(count - 1))[3]).toBeCloseTo(1, 6);
  });

  it("throws when it is full, and keeps its rows", () => {
    const rows = new CosineRows(16);
    rows.set(0, measured([3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));

    expect(() => rows.set(2 ** 30, { vector: [1], length: 1 })).toThrow(
      expect.objectContaining({ code: "limit_exceeded" }),
    );
    expect(rows.get(0)[0]).toBe(3);
  });
});
