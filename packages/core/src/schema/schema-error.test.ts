import { describe, expect, it } from "vitest";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { SchemaError } from "./schema-error.ts";
import type { SchemaIssue } from "./schema-issue.ts";

const jsonSchema = {
  type: "object",
  properties: {
    city: { type: "string" },
    list: { type: "array", items: { properties: { name: { type: "string" } } } },
  },
  $defs: { other: { anyOf: [{ properties: { deep: true } }] } },
};
const begin = "The model's answer does not fit its schema: ";

const errorOf = (...issues: SchemaIssue[]) => new SchemaError({ issues, text: "a secret answer", jsonSchema });
const issue = (path: SchemaIssue["path"], expected?: string): SchemaIssue => ({
  path,
  message: "expected x, got a secret",
  ...(expected !== undefined && { expected }),
});

describe("SchemaError", () => {
  it("is an error of its own name, with the issues and the answer for a repair alone", () => {
    const issues = [issue(["city"], "string"), issue([])];
    const error = errorOf(...issues);

    expect(error).toBeInstanceOf(TroupeError);
    expect([error.name, error.code, error.fields]).toEqual([
      "SchemaError",
      "structured_output_invalid",
      { issueCount: 2 },
    ]);
    expect([error.issues, error.text]).toEqual([issues, "a secret answer"]);
    expect(JSON.stringify(error) + JSON.stringify(Object.entries(error)) + error.message).not.toContain("secret");
  });

  it.each<[SchemaIssue[], string]>([
    [[issue(["city"], "string")], "city: expected string."],
    [[issue(["city"])], "city."],
    [[issue([], "object")], "the answer: expected object."],
    [[issue([])], "the answer as a whole."],
    [[issue(["list", 3, "name"], "string")], "list[3].name: expected string."],
    [[issue(["deep"])], "deep."],
    [[issue(["secret", "city"])], "*.city."],
    [[issue(["properties", "items", "constructor"])], "*.*.*."],
    [[issue(["city"], "string"), issue(["list", 0])], "city: expected string; list[0]."],
    [[issue(["city"]), issue(["a"]), issue(["b"]), issue(["city"])], "city; *."],
    [[0, 1, 2, 3, 4].map((index) => issue([index])), "[0]; [1]; [2]; [3]; [4]."],
    [[0, 1, 2, 3, 4, 5].map((index) => issue([index])), "[0]; [1]; [2]; [3]; [4]; and 1 more."],
    [Array.from({ length: 8 }, () => issue(["city"])), "city; and 3 more."],
  ])("names in its message the places, in words of the schema alone: %j", (issues, message) => {
    expect(errorOf(...issues).message).toBe(begin + message);
  });

  it("has a message of 500 characters at most", () => {
    const { message } = errorOf(issue(["city"], "x".repeat(600)));

    expect(message).toBe(`${begin}city: expected ${"x".repeat(499 - begin.length - 15)}…`);
  });
});
