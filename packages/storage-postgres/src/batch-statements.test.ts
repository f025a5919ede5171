import { describe, expect, it } from "vitest";
import { batchStatements, firstRecords, toBatches } from "./batch-statements.ts";

const record = (namespace: string, key: string, text = "") => ({ namespace, key, text });
const flat = (sql: string) => sql.trim().replaceAll(/\s+/g, " ");

describe("batchStatements", () => {
  const { list, insert, store } = batchStatements('"s"."t"');
  const insertion =
    'insert into "s"."t" (namespace, key, value) select * from unnest($1::text[], $2::text[], $3::text[])';
  const columns = [
    ["n", "m"],
    ["a", "b"],
    ["1", "2"],
  ];

  it("lists each range within its own bounds and limit, in the order of both", () => {
    const { sql, parameters } = list([
      { namespace: "n", from: "a", to: "b", limit: undefined, reverse: false },
      { namespace: "m", from: "c", to: "d", limit: 2, reverse: false },
    ]);

    expect(parameters).toEqual([
      ["n", "m"],
      ["a", "c"],
      ["b", "d"],
      [null, 2],
    ]);
    expect(flat(sql)).toContain(
      "where namespace = range.namespace and key >= range.first and key < range.past order by key limit range.most",
    );
    expect(flat(sql)).toMatch(/order by place, record\.key$/);
  });

  it("keeps what exists when it inserts, and replaces it when it stores", () => {
    const records = [record("n", "a", "1"), record("m", "b", "2")];
    const [inserted, stored] = [insert(records), store(records)];

    expect(inserted.parameters).toEqual(columns);
    expect(stored.parameters).toEqual(columns);
    expect(flat(inserted.sql)).toBe(`${insertion} on conflict do nothing returning namespace, key`);
    expect(flat(stored.sql)).toBe(`${insertion} on conflict (namespace, key) do update set value = excluded.value`);
  });
});

describe("firstRecords", () => {
  it("keeps the first record of each key of a namespace, in the order of both", () => {
    const [b, a, other] = [record("n", "b", "1"), record("n", "a", "2"), record("m", "b", "3")];

    expect(firstRecords([b, a, record("n", "b", "later"), other])).toEqual([other, a, b]);
    expect(firstRecords([])).toEqual([]);
  });
});

describe("toBatches", () => {
  const sized = (size: number) => record("n", "k", "x".repeat(size - 2));

  it.each([
    { sizes: [], batches: [] },
    { sizes: [8_000_000, 8_000_000], batches: [2] },
    { sizes: [8_000_000, 8_000_001], batches: [1, 1] },
    { sizes: [20_000_000, 2], batches: [1, 1] },
    { sizes: [8_000_000, 8_000_000, 8_000_000, 8_000_000, 2], batches: [2, 2, 1] },
  ])("splits records of $sizes characters into $batches", ({ sizes, batches }) => {
    const records = sizes.map(sized);
    const split = toBatches(records);

    expect(split.map(({ length }) => length)).toEqual(batches);
    expect(split.flat()).toEqual(records);
  });
});
