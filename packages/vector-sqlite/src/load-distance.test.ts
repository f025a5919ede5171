import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { addDistance, bytesOf, cosineOf, findSqliteVec, floatsOf, loadDistance, toUnit } from "./load-distance.ts";

/** Vectors that are views of a larger buffer, as the rows of a batch are. */
function rowsOf(...rows: readonly number[][]): Float32Array[] {
  const width = rows[0]?.length ?? 0;
  const batch = new Float32Array(rows.flat());
  return rows.map((_, index) => batch.subarray(index * width, (index + 1) * width));
}

describe("the bytes of a vector", () => {
  it("are its own, also where it is a row of a batch, and give it back", () => {
    const [first, second] = rowsOf([1, 2, 3], [4, 5, 6]);
    expect(bytesOf(second as Float32Array)).toHaveLength(12);
    expect(Array.from(floatsOf(bytesOf(second as Float32Array)))).toEqual([4, 5, 6]);
    expect(Array.from(floatsOf(bytesOf(first as Float32Array)))).toEqual([1, 2, 3]);
  });

  it("are read wherever they begin, and a part of a number at their end is left out", () => {
    const bytes = new Uint8Array(11);
    bytes.set(bytesOf(new Float32Array([1.5, -2])), 1);
    for (const length of [8, 9, 10]) {
      expect(Array.from(floatsOf(bytes.subarray(1, 1 + length)))).toEqual([1.5, -2]);
    }
  });
});

describe("cosineOf", () => {
  it.each<[vector: number[], other: number[], cosine: number]>([
    [[2], [3], 1],
    [[-2], [3], -1],
    [[1, 0], [0, 1], 0],
    [[3, 4], [4, 3], 0.96],
    [[1, 2, 2], [2, 2, 1], 8 / 9],
    [[0, 0, 5], [1, 1, 1], 1 / Math.sqrt(3)],
    [[1, 2, 3, 4], [4, 3, 2, 1], 20 / 30],
    [[1, 0, 0, 0, 7], [0, 0, 0, 0, 2], 7 / Math.sqrt(50)],
  ])("of %j and %j is %d", (vector, other, cosine) => {
    const unit = toUnit(new Float32Array(other), Math.hypot(...other));
    expect(Math.hypot(...unit)).toBeCloseTo(1, 6);
    expect(cosineOf(new Float32Array(vector), unit)).toBeCloseTo(cosine, 6);
  });
});

describe("the distance in SQL", () => {
  function database(allowExtension = false): DatabaseSync {
    const made = new DatabaseSync(":memory:", { allowExtension });
    onTestFinished(() => made.close());
    return made;
  }

  it("is the same with and without the extension, and follows the vector of each search", async () => {
    const [plain, extended] = [database(), database(true)];
    const both = [
      [plain, addDistance(plain)],
      [extended, loadDistance(extended, await findSqliteVec())],
    ] as const;
    const stored = new Float32Array([3, 4, 12]);
    for (const query of [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]) {
      const distances = both.map(([connection, { name, argumentOf }]) => {
        const row = connection
          .prepare(`SELECT ${name}(?, ?) AS distance`)
          .get(bytesOf(stored), argumentOf(new Float32Array(query)));
        return Number(row?.["distance"]);
      });
      const expected = 1 - stored.reduce((sum, value, index) => sum + value * (query[index] ?? 0), 0) / 13;
      for (const distance of distances) expect(distance).toBeCloseTo(expected, 5);
    }
  });

  it("the distance in SQL of what is no vector is null", () => {
    const connection = database();
    const { name, argumentOf } = addDistance(connection);
    const argument = argumentOf(new Float32Array([1]));
    for (const value of ["x", 1, null]) {
      expect(connection.prepare(`SELECT ${name}(?, ?) AS distance`).get(value, argument)).toMatchObject({
        distance: null,
      });
    }
  });

  it("allows no further extensions behind its own", async () => {
    const connection = database(true);
    const path = await findSqliteVec();
    loadDistance(connection, path);
    expect(() => connection.loadExtension(path)).toThrow(/not allowed|not authorized|disabled/i);
  });
});
