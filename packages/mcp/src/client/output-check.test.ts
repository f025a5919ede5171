import { describe, expect, it } from "vitest";
import { BadAnswer } from "./ask-server.ts";
import { checkOutput } from "./output-check.ts";

const schema = {
  type: "object",
  properties: { n: { type: "integer" }, deep: { type: "object", properties: { m: { type: "string" } } } },
  required: ["n"],
};

/** Nests an array so many levels deep. */
const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`) as unknown;

const misfit = "its structured content does not fit its own schema:";

function problemOf(given: object | undefined, result: object): string | undefined {
  try {
    checkOutput(given as Parameters<typeof checkOutput>[0])({ ...result });
    return undefined;
  } catch (error) {
    if (!(error instanceof BadAnswer)) throw error;
    return error.message;
  }
}

describe("the check of a tool's structured content", () => {
  it.each<[string, object | undefined, object]>([
    ["what the schema promises", schema, { structuredContent: { n: 5, more: true } }],
    ["anything where there is no schema", undefined, { structuredContent: { n: "five" } }],
    ["nothing where there is no schema", undefined, {}],
    ["nothing with an error", schema, { isError: true }],
    ["another form with an error", schema, { isError: true, structuredContent: { n: "five" } }],
    ["256 levels", undefined, { structuredContent: nested(256) }],
    ["anything for a schema that is not supported", { $ref: "https://example.com/s" }, { structuredContent: 7 }],
    ["null, which a schema may promise", { type: "null" }, { structuredContent: null }],
    ["false, which a schema may promise", { type: "boolean" }, { structuredContent: false }],
  ])("passes %s", (_, given, result) => {
    expect(problemOf(given, result)).toBeUndefined();
  });

  it.each<[string, object | undefined, object, RegExp]>([
    ["257 levels", undefined, { structuredContent: nested(257) }, /^its structured content nests too deep$/],
    ["257 levels of an error", schema, { structuredContent: nested(257), isError: true }, /nests too deep$/],
    ["none that is promised", schema, {}, /^it has no structured content, which its schema promises$/],
    ["none with a word for an error", schema, { isError: "true" }, /^it has no structured content/],
    ["null", schema, { structuredContent: null }, new RegExp(`^${misfit} `)],
    ["a list", schema, { structuredContent: [{ n: 5 }] }, new RegExp(`^${misfit} `)],
    ["another type", schema, { structuredContent: { n: "five" } }, new RegExp(`^${misfit} n \\S`)],
    [
      "another type within",
      schema,
      { structuredContent: { n: 5, deep: { m: 7 } } },
      new RegExp(`^${misfit} deep\\.m \\S`),
    ],
  ])("refuses %s", (...[, given, result, problem]) => {
    expect(problemOf(given, result)).toMatch(problem);
  });

  it("judges each result by itself", () => {
    const check = checkOutput(schema);
    const judge = (n: unknown) => {
      try {
        check({ structuredContent: { n } });
        return true;
      } catch {
        return false;
      }
    };
    expect([1, "one", 2, "two"].map(judge)).toEqual([true, false, true, false]);
  });
});
