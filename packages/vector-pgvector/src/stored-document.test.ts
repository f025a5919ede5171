import type { StoredDocument } from "@troupe/core/vector";
import { describe, expect, it } from "vitest";
import { insertStatements, toDocument } from "./stored-document.ts";

const format = { write: (vector: ArrayLike<number>) => Array.from(vector).join(), read: () => [] };
const target = { name: '"s"."t_1"', extensionSchema: '"ext"', format };

const at = (id: string, content = "", vector: readonly number[] = [1, 0]): StoredDocument => ({
  id,
  content,
  vector: Float32Array.from(vector),
  length: Math.hypot(...vector),
});

/** The ids of each statement. */
const parts = (documents: readonly StoredDocument[]) =>
  [...insertStatements(documents, target)].map(({ parameters }) => parameters[0] as string[]);

describe("insertStatements", () => {
  it("writes the columns in the order of ids, with the original where another vector is searched", () => {
    const documents = [{ ...at("b", "B"), metadata: { n: 1 } }, at("a", "A", [2 ** 41, 0]), at("B", "", [3, 4])];
    const statements = [...insertStatements(documents, target)];

    expect(statements.map(({ sql }) => sql.replaceAll(/\s+/g, " "))).toEqual([
      'insert into "s"."t_1" (id, content, metadata, embedding, original) select * from unnest($1::text[], $2::text[], $3::jsonb[], $4::"ext".vector[], $5::"ext".vector[]) on conflict (id) do update set content = excluded.content, metadata = excluded.metadata, embedding = excluded.embedding, original = excluded.original',
    ]);
    expect(statements[0]?.parameters).toEqual([
      ["B", "a", "b"],
      ["", "A", "B"],
      [null, null, '{"n":1}'],
      ["3,4", "1,0", "1,0"],
      [null, String(2 ** 41) + ",0", null],
    ]);
    expect(documents.map(({ id }) => id)).toEqual(["b", "a", "B"]);
  });

  it.each([
    [0, []],
    [1, [1]],
    [200, [200]],
    [201, [200, 1]],
    [400, [200, 200]],
  ])("splits %i documents into %j", (count, lengths) => {
    const documents = Array.from({ length: count }, (_, index) => at(`d${String(index).padStart(3, "0")}`));

    expect(parts(documents).map(({ length }) => length)).toEqual(lengths);
    expect(parts(documents).flat()).toEqual(documents.map(({ id }) => id));
  });

  it("begins another statement after four million characters of all columns, and counts anew then", () => {
    // With an id of 1 character and a vector of 3.
    const text = (characters: number) => "x".repeat(characters - 4);
    const half = 2_000_000;

    expect(parts([at("a", text(half)), at("b", text(half)), at("c")])).toEqual([["a", "b"], ["c"]]);
    expect(parts([at("a", text(half)), at("b", text(half - 1)), at("c")])).toEqual([["a", "b", "c"]]);
    expect(parts(["a", "b", "c", "d"].map((id) => at(id, text(half))))).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });
});

describe("toDocument", () => {
  it.each([
    ["a row without metadata", null, {}],
    ["a row with metadata", '{"a":{"b":null}}', { metadata: { a: { b: null } } }],
  ])("reads %s, without the other columns", (_what, metadata, more) => {
    const row = { id: "a", content: "A", metadata, score: 1, embedding: "" };

    expect(toDocument(row)).toStrictEqual({ id: "a", content: "A", ...more });
  });
});
