import { describe, expect, it } from "vitest";
import { createValidator } from "./create-validator.ts";
import type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.ts";

type Result = StandardResult<unknown>;

/** The validator of a schema of a library that answers so, and the values that the library was given. */
function validatorOf(answer: Result | Promise<Result>) {
  const given: unknown[] = [];
  const validate = (value: unknown) => (given.push(value), answer);
  const schema: StandardSchema = { "~standard": { version: 1, vendor: "test", validate } };
  const validator = createValidator(
    { kind: "described", schema, jsonSchema: { type: "null" } },
    { type: "null" },
    "it",
  );
  return Object.assign(validator, { given });
}

describe("createValidator", () => {
  it("checks a plain JSON Schema, whose errors name it", () => {
    const validate = createValidator({ kind: "plain", jsonSchema: {} }, { type: "string" }, "the parameters");

    expect(validate("a")).toEqual({ ok: true, value: "a" });
    expect(validate(1)).toEqual({
      ok: false,
      issues: [{ path: [], message: "expected string, got number 1", expected: "string" }],
    });
    expect(() => createValidator({ kind: "plain", jsonSchema: {} }, { type: "text" }, "the parameters")).toThrow(
      "the parameters cannot be used as a JSON Schema",
    );
  });

  it("returns the value of the library, at once or later", async () => {
    const now = validatorOf({ value: { a: 1 } });
    const later = validatorOf(Promise.resolve({ value: undefined }));

    expect(now("x")).toEqual({ ok: true, value: { a: 1 } });
    expect(await later("y")).toEqual({ ok: true, value: undefined });
    expect([now.given, later.given]).toEqual([["x"], ["y"]]);
  });

  it("passes on what the library throws", async () => {
    const thrown = new Error("broken");
    const failing = validatorOf(Promise.reject(thrown));

    await expect(failing(1)).rejects.toBe(thrown);
  });

  it.each<[StandardIssue & { expected?: unknown }, unknown]>([
    [{ message: "m" }, { path: [], message: "m" }],
    [
      { message: "m", path: [] },
      { path: [], message: "m" },
    ],
    [
      { message: "m", path: ["a", 0, { key: "b" }, { key: 1 }] },
      { path: ["a", 0, "b", 1], message: "m" },
    ],
    [
      { message: "m", path: [Symbol("s"), { key: Symbol("t") }] },
      { path: ["Symbol(s)", "Symbol(t)"], message: "m" },
    ],
    [
      { message: "m", expected: "string" },
      { path: [], message: "m", expected: "string" },
    ],
    [
      { message: "m", expected: "x".repeat(80) },
      { path: [], message: "m", expected: "x".repeat(80) },
    ],
    [
      { message: "m", expected: "x".repeat(81) },
      { path: [], message: "m" },
    ],
    [
      { message: "m", expected: 1 },
      { path: [], message: "m" },
    ],
    [{ message: "x".repeat(301) }, { path: [], message: `${"x".repeat(299)}…` }],
  ])("converts the issue %j", async (issue, converted) => {
    const verdict = { ok: false, issues: [converted] };

    expect(validatorOf({ issues: [issue] })(1)).toStrictEqual(verdict);
    expect(await validatorOf(Promise.resolve({ issues: [issue] }))(1)).toStrictEqual(verdict);
  });

  it("returns the first twenty issues, in an array even where those of the library are more", () => {
    class Issues extends Array<StandardIssue> {}
    const issues = Issues.from(Array.from({ length: 21 }, (_, index) => ({ message: `m${index}` })));
    const verdict = validatorOf({ issues })(1);

    expect(verdict).toStrictEqual({
      ok: false,
      issues: Array.from({ length: 20 }, (_, index) => ({ path: [], message: `m${index}` })),
    });
    expect(validatorOf({ issues: [] })(1)).toEqual({ ok: false, issues: [] });
  });

  it("keeps a value from the library that nests too deep", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    const validate = validatorOf({ value: 1 });

    expect(validate(cycle)).toEqual({ ok: false, issues: [{ path: [], message: "nests deeper than 64 levels" }] });
    expect(validate.given).toEqual([]);
  });
});
