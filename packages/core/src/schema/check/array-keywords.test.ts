import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../object-schema.ts";
import { describeIssues } from "../schema-issue.ts";
import { compileCheck } from "./compile-check.ts";

const problemsOf = (schema: JsonSchema, value: unknown) => {
  const verdict = compileCheck(schema, "parameters")(value);
  return verdict.ok ? [] : describeIssues(verdict.issues).split("\n");
};

const text: JsonSchema = { type: "string" };
const number: JsonSchema = { type: "number" };

describe("the keywords of arrays", () => {
  it.each<JsonSchema>([
    { prefixItems: [false] },
    { items: false },
    { items: [false], additionalItems: false },
    { minItems: 1 },
    { maxItems: 0 },
    { uniqueItems: true },
    { contains: true },
  ])("say nothing of other values: %j", (schema) => {
    const others = [null, "text", "", 1, {}, { 0: 1, length: 1 }, undefined];

    expect(others.flatMap((value) => problemsOf(schema, value))).toEqual([]);
  });

  it.each<[JsonSchema, unknown[], string[]]>([
    [{ prefixItems: [text, number] }, ["a", "b", "c"], ['[1]: expected number, got string "b"']],
    [{ prefixItems: [text, number] }, [1], ["[0]: expected string, got number 1"]],
    [{ prefixItems: [text, number] }, [], []],
    [{ prefixItems: [{ items: text }] }, [[1]], ["[0][0]: expected string, got number 1"]],
    [
      { prefixItems: [text], items: number },
      ["a", "b", 1, "c"],
      ['[1]: expected number, got string "b"', '[3]: expected number, got string "c"'],
    ],
    [{ prefixItems: [text], items: false }, ["a"], []],
    [{ items: text }, ["a", 1, null], ["[1]: expected string, got number 1", "[2]: expected string, got null"]],
    [{ items: false }, [], []],

    [
      { items: [text, number] },
      [1, "b", null],
      ["[0]: expected string, got number 1", '[1]: expected number, got string "b"'],
    ],
    [
      { items: [text, number], additionalItems: { type: "null" } },
      ["a", 1, null, 2],
      ["[3]: expected null, got number 2"],
    ],
    [{ items: text, additionalItems: false }, ["a", "b"], []],
    [{ additionalItems: false }, [1], []],
    [{ items: [], additionalItems: number }, ["a"], ['[0]: expected number, got string "a"']],

    [{ minItems: 2 }, [1], ["value: expected array of at least 2, got array of 1"]],
    [{ minItems: 2 }, [1, 2], []],
    [{ minItems: 0 }, [], []],
    [{ maxItems: 2 }, [1, 2, 3], ["value: expected array of at most 2, got array of 3"]],
    [{ maxItems: 2 }, [1, 2], []],

    [{ uniqueItems: true }, [], []],
    [{ uniqueItems: true }, [1, "1", true, "true", null, [1], [[1]]], []],
    [
      { uniqueItems: true },
      [[1, { a: 1, b: 2 }], 2, [1, { b: 2, a: 1 }]],
      ["value: expected array without equal items, got array of 3"],
    ],
    [{ uniqueItems: false }, [1, 1], []],
    [{ uniqueItems: "yes" }, [1, 1], []],

    [{ contains: number }, ["a", 1], []],
    [{ contains: number }, ["a"], ['value: expected array with at least 1 items that fit "contains", got array of 1']],
    [{ contains: number }, [], ['value: expected array with at least 1 items that fit "contains", got array of 0']],
    [{ contains: number, minContains: 0 }, ["a"], []],
    [{ contains: number, minContains: 2 }, [1, "a", 2], []],
    [
      { contains: number, minContains: 2 },
      [1, "a"],
      ['value: expected array with at least 2 items that fit "contains", got array of 2'],
    ],
    [{ contains: number, maxContains: 2 }, [1, 2, "a"], []],
    [
      { contains: number, minContains: 2, maxContains: 2 },
      [1, 2, 3],
      ['value: expected array with 2 to 2 items that fit "contains", got array of 3'],
    ],
    [
      { contains: number, maxContains: 1 },
      [1, 2],
      ['value: expected array with 1 to 1 items that fit "contains", got array of 2'],
    ],
    [{ minContains: 5, maxContains: 0 }, [1], []],
    [
      { properties: {}, allOf: [{ contains: number }, { items: text }] },
      ["a"],
      ['value: expected array with at least 1 items that fit "contains", got array of 1'],
    ],
  ])("check the items with their places: %j, %j", (schema, value, problems) => {
    expect(problemsOf(schema, value)).toEqual(problems);
  });

  it("check no further items once there are as many issues as are shown", () => {
    let reads = 0;
    const item = Object.defineProperty({}, "a", { enumerable: true, get: () => (reads += 1) });
    const schema = { items: { properties: { a: { type: "string" } } } };
    const verdict = compileCheck(schema, "parameters")(Array.from({ length: 100 }, () => item));

    expect(verdict).toMatchObject({ ok: false, issues: { length: 20 } });
    expect(reads).toBeLessThanOrEqual(40);
  });

  it.each<[JsonSchema, string]>([
    [{ prefixItems: true }, '"prefixItems" must be an array.'],
    [{ prefixItems: [true, 1] }, "at #/prefixItems/1, a schema must be an object or a boolean."],
    [{ items: "text" }, "at #/items, a schema must be an object or a boolean."],
    [{ items: [true, 1] }, "at #/items/1, a schema must be an object or a boolean."],
    [{ items: [], additionalItems: 1 }, "at #/additionalItems, a schema must be an object or a boolean."],
    [{ minItems: -1 }, '"minItems" must be an integer of at least 0.'],
    [{ maxItems: 1.5 }, '"maxItems" must be an integer of at least 0.'],
    [{ contains: 1 }, "at #/contains, a schema must be an object or a boolean."],
    [{ contains: true, minContains: -1 }, '"minContains" must be an integer of at least 0.'],
    [{ contains: true, maxContains: "2" }, '"maxContains" must be an integer of at least 0.'],
  ])("are refused with their place when they are malformed: %j", (schema, problem) => {
    expect(() => compileCheck(schema, "parameters")).toThrow(problem);
  });
});
