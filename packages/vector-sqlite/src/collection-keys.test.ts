import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { filterTerms, metadataTerms } from "@troupe/core/vector";
import { describe, expect, it, onTestFinished } from "vitest";
import { CollectionKeys, hashOf, toNumber } from "./collection-keys.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { keysOf, vectorTables } from "./vector-tables.ts";

const tables = vectorTables("t");

/** Opens a database in memory with these documents' metadata by key, and returns the keys of collection 2 in it. */
function keysWith(documents: Readonly<Record<number, Record<string, unknown>>>): CollectionKeys {
  const database = new DatabaseSync(":memory:");
  onTestFinished(() => database.close());
  for (const sql of tables.create) database.exec(sql);
  const connection = new SqliteConnection(database);
  for (const [key, metadata] of Object.entries(documents)) {
    connection.run(tables.setVector, Number(key), 2, `d${key}`, new Uint8Array(4));
    for (const term of metadataTerms(metadata)) connection.run(tables.addTerm, hashOf(term), Number(key));
  }
  return new CollectionKeys(tables, connection, 2);
}

const { after, last } = keysOf(2);
const first = after + 1;
const [a, b] = [{ a: 1 }, { b: 1 }].map((filter) => hashOf(filterTerms(filter)[0] ?? "")) as [string, string];

describe("keysOf", () => {
  it("gives each collection 2 ** 32 keys, one after the other", () => {
    expect([keysOf(0), keysOf(2), keysOf(3)]).toEqual([
      { after: -1, last: 4_294_967_295 },
      { after: 8_589_934_591, last: 12_884_901_887 },
      { after: 12_884_901_887, last: 17_179_869_183 },
    ]);
  });
});

describe("hashOf", () => {
  it("is the first 22 characters of the SHA-256 in Base64, as in files that were written before", () => {
    expect(hashOf('"a":1')).toBe(createHash("sha256").update('"a":1').digest("base64").slice(0, 22));
    expect(hashOf('"a":1')).toHaveLength(22);
  });
});

it.each([
  [null, undefined],
  [undefined, undefined],
  [0, 0],
  [2 ** 32, 2 ** 32],
])("toNumber reads %s as %s", (value, number) => {
  expect(toNumber(value)).toBe(number);
});

describe("CollectionKeys", () => {
  it("has an empty range at the beginning of its keys without documents", () => {
    expect(keysWith({}).bounds()).toEqual({ after, last: after });
  });

  it("ranges from before its first to its last document, without those of its neighbours", () => {
    const keys = keysWith({ [first - 1]: {}, [first + 3]: {}, [first + 9]: {}, [last + 1]: {} });

    expect(keys.bounds()).toEqual({ after: first + 2, last: first + 9 });
    expect(keysWith({ [first]: {}, [last]: {} }).bounds()).toEqual({ after, last });
  });

  it("has no terms for an empty filter, and one term alone for one", () => {
    const keys = keysWith({});

    expect(keys.termsOf({})).toBeUndefined();
    expect(keys.termsOf({ a: 1 })).toEqual({ rarest: a, others: "[]" });
  });

  it.each([
    ["b", { [first]: { a: 1 }, [first + 1]: { a: 1, b: 1 } }, b, a],
    ["a", { [first]: { b: 1 }, [first + 1]: { a: 1, b: 1 } }, a, b],
    ["b, which only a neighbour has,", { [first - 1]: { b: 1 }, [last + 1]: { b: 1 }, [first]: { a: 1 } }, b, a],
    ["a, of equal ones the first,", { [first]: { a: 1, b: 1 } }, a, b],
  ])("begins with the term %s that the fewest of its documents have", (...[, documents, rarest, other]) => {
    expect(keysWith(documents).termsOf({ a: 1, b: 1 })).toEqual({ rarest, others: JSON.stringify([other]) });
  });

  it("counts a term's documents up to 1000, so that commoner ones stay in the filter's order", () => {
    const counted: unknown[] = [];
    const keys = keysWith({});
    const row = keys.connection.row.bind(keys.connection);
    keys.connection.row = (sql, ...values) => {
      if (sql === tables.count) counted.push(values);
      return row(sql, ...values);
    };
    keys.termsOf({ a: 1 });
    expect(counted).toEqual([]);
    keys.termsOf({ a: 1, b: 1 });

    expect(counted).toEqual([
      [a, after, last, 1000],
      [b, after, last, 1000],
    ]);
  });

  it.each([
    [1, 8192],
    [512, 8192],
    [513, 8177],
    [1536, 2731],
    [4096, 1024],
    [262_144, 16],
    [1_000_000, 16],
  ])("reads vectors of %i numbers in parts of at most %i", (dimensions, most) => {
    expect(keysWith({}).windowSize(dimensions, undefined)).toEqual({ most });
  });

  it("ends a filtered part at the last of so many documents that have the rarest term", () => {
    const keys = keysWith({
      [first - 1]: { a: 1 },
      [first]: { a: 1 },
      [first + 5]: {},
      [first + 7]: { a: 1 },
      [first + 9]: { a: 1 },
      [last + 1]: { a: 1 },
    });
    const { most, endOf } = keys.windowSize(4096, keys.termsOf({ a: 1 }));

    expect(most).toBe(1024);
    expect([endOf?.(after, 1), endOf?.(after, 2), endOf?.(first, 1), endOf?.(first, 9)]).toEqual([
      first,
      first + 7,
      first + 7,
      first + 9,
    ]);
    expect(endOf?.(first + 9, 1)).toBeUndefined();
  });

  it("matches its documents that have every term of a filter, and none for an empty filter", () => {
    const keys = keysWith({
      [first - 1]: { a: 1, b: 1 },
      [first]: { a: 1 },
      [first + 1]: { a: 1, b: 1 },
      [first + 2]: { b: 1 },
      [last]: { a: 1, b: 1, c: 1 },
      [last + 1]: { a: 1, b: 1 },
    });

    expect(keys.matching({ a: 1, b: 1 })).toEqual([first + 1, last]);
    expect(keys.matching({ a: 1 })).toEqual([first, first + 1, last]);
    expect(keys.matching({ a: 2 })).toEqual([]);
    expect(keys.matching({})).toEqual([]);
  });
});
