import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../object-schema.ts";
import { compileCheck } from "./compile-check.ts";

type Group = { file: string; description: string; schema: JsonSchema; tests: Case[] };
type Case = { description: string; data: unknown; valid: boolean };

const fixture = new URL("../__fixtures__/json-schema-test-suite.json", import.meta.url);
const { groups } = JSON.parse(readFileSync(fixture, "utf8")) as { groups: Group[] };

/** Compiles a schema, or returns nothing when it uses what is refused with a reason: remote references, `$dynamicRef`, … */
const tryCompile = (schema: JsonSchema) => {
  try {
    return compileCheck(schema, "schema");
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid_config" });
    return undefined;
  }
};

const verdicts = groups.flatMap(({ file, description, schema, tests }) => {
  const check = tryCompile(schema);
  if (check === undefined) return [];
  return tests.map((test) => ({
    title: `${file}: ${description}: ${test.description}`,
    isRight: check(test.data).ok === test.valid,
  }));
});

describe("the official JSON Schema test suite, draft 2020-12", () => {
  it("agrees with 1,310 of the 1,336 verdicts on schemas that are taken", () => {
    expect(verdicts).toHaveLength(1336);
    expect(verdicts.filter(({ isRight }) => isRight)).toHaveLength(1310);
  });

  it("differs only where formats are asserted, in leap seconds, in quoted e-mail addresses and in meta-schemas", () => {
    const known = [
      /^format\.json: .* is only an annotation by default$/,
      /^optional\/format\/(date-)?time\.json: .*leap second/,
      /^optional\/format\/email\.json: .*(quoted string|address-literal)/,
      /^vocabulary\.json: /,
    ];
    const differing = verdicts.filter(({ isRight }) => !isRight).map(({ title }) => title);

    expect(differing.filter((title) => !known.some((pattern) => pattern.test(title)))).toEqual([]);
  });
});
