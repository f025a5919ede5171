import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { CollectionKeys, hashOf } from "./collection-keys.ts";
import { eachKeyWindow } from "./key-windows.ts";
import type { WindowSize } from "./key-windows.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { keysOf, vectorTables } from "./vector-tables.ts";
import type { KeyRange } from "./vector-tables.ts";

async function windowsOf(range: KeyRange, size: WindowSize): Promise<KeyRange[]> {
  const windows: KeyRange[] = [];
  await eachKeyWindow(range, size, (window) => windows.push(window));
  return windows;
}

describe("eachKeyWindow", () => {
  it("visits each key once, in parts that are never larger than the most", async () => {
    const windows = await windowsOf({ after: 99, last: 100_000 }, { most: 1000 });

    expect([windows[0]?.after, windows.at(-1)?.last]).toEqual([99, 100_000]);
    for (const [index, { after, last }] of windows.entries()) {
      expect(after).toBe(windows[index - 1]?.last ?? 99);
      expect(last - after).toBeLessThanOrEqual(1000);
    }
  });

  it("has nothing to do in an empty range", async () => {
    expect(await windowsOf({ after: 5, last: 5 }, { most: 10 })).toEqual([]);
  });

  it("counts only documents that a filter keeps, however they lie among the others", async () => {
    const database = new DatabaseSync(":memory:");
    const tables = vectorTables("t");
    for (const sql of tables.create) database.exec(sql);
    const connection = new SqliteConnection(database);
    const { after } = keysOf(3);
    // First one among thousands, then one after the other.
    const matching = [10, 20_000, 40_000, ...Array.from({ length: 9000 }, (_, index) => 50_000 + index)];
    for (const key of matching) connection.run(tables.addTerm, hashOf('"a":1'), after + key);
    const keys = new CollectionKeys(tables, connection, 3);
    const size = keys.windowSize(1536, keys.termsOf({ a: 1 }));
    const windows = await windowsOf({ after, last: after + 100_000 }, size);
    connection.close();

    const counts = windows.map((window) =>
      matching.filter((key) => after + key > window.after && after + key <= window.last),
    );
    expect(counts.flat()).toEqual(matching);
    expect(Math.max(...counts.map(({ length }) => length))).toBeLessThanOrEqual(2731);
    expect(windows.length).toBeLessThan(100);
  });
});
