import { describe, expect, it } from "vitest";
import { filterCondition } from "./filter-condition.ts";

function conditionOf(filter: Parameters<typeof filterCondition>[0], parameters: unknown[] = []) {
  return { sql: filterCondition(filter, parameters), parameters };
}

describe("filterCondition", () => {
  it.each([
    { filter: {}, sql: "true", parameters: [] },
    { filter: { a: "x" }, sql: "(metadata @> $1::jsonb)", parameters: ['{"a":"x"}'] },
    { filter: { a: null }, sql: "(metadata @> $1::jsonb)", parameters: ['{"a":null}'] },
    {
      filter: { a: 1, b: false },
      sql: "(metadata @> $1::jsonb) and (metadata @> $2::jsonb)",
      parameters: ['{"a":1}', '{"b":false}'],
    },
    {
      filter: { "a.b": 1 },
      sql: "(metadata @> $1::jsonb or metadata @> $2::jsonb)",
      parameters: ['{"a.b":1}', '{"a":{"b":1}}'],
    },
  ])("finds $filter by the index alone", ({ filter, sql, parameters }) => {
    expect(conditionOf(filter)).toEqual({ sql, parameters });
  });

  it.each([{ value: [1] }, { value: { b: [] } }, { value: {} }])("compares $value as a whole too", ({ value }) => {
    expect(conditionOf({ "a.b": value })).toEqual({
      sql:
        "((metadata @> $1::jsonb and (metadata #> $2::text[]) = $3::jsonb) or " +
        "(metadata @> $4::jsonb and (metadata #> $5::text[]) = $6::jsonb))",
      parameters: [
        JSON.stringify({ "a.b": value }),
        ["a.b"],
        JSON.stringify(value),
        JSON.stringify({ a: { b: value } }),
        ["a", "b"],
        JSON.stringify(value),
      ],
    });
  });

  it("numbers its parameters after those that the statement has", () => {
    expect(conditionOf({ a: 1 }, ["before"])).toEqual({
      sql: "(metadata @> $2::jsonb)",
      parameters: ["before", '{"a":1}'],
    });
  });

  it("takes 1000 names and refuses 1001", () => {
    const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 1]));

    expect(conditionOf(named(1000)).parameters).toHaveLength(1000);
    expect(() => filterCondition(named(1001), [])).toThrow(
      "filter must have at most 1000 names, or PostgreSQL cannot plan it, got 1001.",
    );
  });
});
