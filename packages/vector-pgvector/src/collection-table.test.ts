import { describe, expect, it } from "vitest";
import {
  catalogName,
  collectionKey,
  createTable,
  indexedType,
  searchedExpression,
  storedVectors,
  tableName,
} from "./collection-table.ts";
import { wordsDefinition } from "./words-column.ts";

const names = { schema: "s", table: "t", extensionSchema: '"ext"' };

describe("the names of tables", () => {
  it("are quoted, and end with a key of 32 hexadecimal digits of the collection", () => {
    const key = collectionKey("notes");

    expect(key).toBe("ab5aa97074c454a0632057e704220d9a");
    expect(collectionKey("Notes")).not.toBe(key);
    expect(catalogName(names)).toBe('"s"."t"');
    expect(tableName(names, key)).toBe(`"s"."t_${key}"`);
  });
});

describe("indexedType", () => {
  it.each([
    [1, "vector"],
    [2000, "vector"],
    [2001, "halfvec"],
    [4000, "halfvec"],
    [4001, undefined],
    [16_000, undefined],
  ])("indexes %d dimensions as %s", (dimensions, type) => {
    expect(indexedType(dimensions)).toBe(type);
  });

  it("refuses more dimensions than pgvector stores", () => {
    expect(() => indexedType(16_001)).toThrow(
      "The embedding must have at most 16000 numbers, which is the limit of pgvector, got 16001.",
    );
  });
});

describe("createTable", () => {
  const statements = (dimensions: number, exact = false) =>
    createTable(names, { key: "k", dimensions, exact, languages: ["english", "german"] })
      .split("; ")
      .map((sql) => sql.replaceAll(/\s+/g, " "));
  const table = (dimensions: number) =>
    `create table "s"."t_k" ( id text collate "C" primary key, content text not null, metadata jsonb, ` +
    `embedding "ext".vector(${dimensions}) not null, original "ext".vector(${dimensions}), ${column.replaceAll(/\s+/g, " ")} )`;
  const column = wordsDefinition(["english", "german"]);
  const words = 'create index on "s"."t_k" using gin (words_english_german)';
  const filters = 'create index on "s"."t_k" using gin (metadata jsonb_path_ops)';
  const half = '(embedding::"ext".halfvec(2001))';

  it.each([
    { dimensions: 3, index: ['create index on "s"."t_k" using hnsw (embedding "ext".vector_cosine_ops)'] },
    { dimensions: 2001, index: [`create index on "s"."t_k" using hnsw (${half} "ext".halfvec_cosine_ops)`] },
    { dimensions: 4001, index: [] },
    { dimensions: 3, exact: true, index: [] },
  ])(
    "creates $dimensions dimensions (exact: $exact) with the indexes they can have",
    ({ dimensions, exact, index }) => {
      expect(statements(dimensions, exact)).toEqual([table(dimensions), filters, words, ...index]);
    },
  );

  it("searches by the expression that is indexed", () => {
    expect(searchedExpression(names, "vector", 3)).toBe("embedding");
    expect(searchedExpression(names, "halfvec", 2001)).toBe(half);
  });
});

describe("storedVectors", () => {
  it.each([
    { size: 2, length: 2 ** -40, isPlain: true },
    { size: 2, length: 2 ** -41, isPlain: false },
    { size: 2, length: 2 ** 40, isPlain: true },
    { size: 2000, length: 2 ** 41, isPlain: false },
    { size: 2001, length: 2 ** -4, isPlain: true },
    { size: 2001, length: 2 ** -5, isPlain: false },
    { size: 2001, length: 2 ** 8, isPlain: true },
    { size: 2001, length: 2 ** 9, isPlain: false },
  ])("keeps $size numbers of length $length as they are: $isPlain", ({ size, length, isPlain }) => {
    const vector = new Float32Array(size);
    vector[1] = length;
    const unit = new Float32Array(size);
    unit[1] = 1;

    expect(storedVectors({ vector, length })).toEqual(
      isPlain ? { embedding: vector } : { embedding: unit, original: vector },
    );
  });
});
