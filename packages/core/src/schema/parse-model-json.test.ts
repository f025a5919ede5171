import { describe, expect, it } from "vitest";
import { parseArguments, stringifyArguments } from "./parse-model-json.ts";

describe("parseArguments", () => {
  it.each([
    ["", {}],
    ["  \n", {}],
    ["{}", {}],
    ['{"city":"Oslo"}', { city: "Oslo" }],
    ['{"a":1,"a":2}', { a: 2 }],
  ])("parses %j", (text, value) => {
    expect(parseArguments(text)).toEqual({ ok: true, value });
  });

  it.each([
    ['{"city":"Os', "is not valid JSON: it ends too early"],
    ['{"city" "Oslo"}', "is not valid JSON: it breaks at character 8"],
    ["my secret plan", "is not valid JSON"],
    ["[]", "is not an object"],
    ["null", "is not an object"],
    ['"text"', "is not an object"],
    [`{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, "nests deeper than 64 levels"],
    [`{"a":"${"x".repeat(5_000_000)}"}`, "is longer than 1048576 characters"],
  ])("names the problem and quotes nothing: %#", (text, problem) => {
    expect(parseArguments(text)).toEqual({ ok: false, problem });
  });

  it("takes __proto__ as a name like any other", () => {
    const parsed = parseArguments('{"__proto__":{"polluted":true}}');

    expect(parsed.ok && Object.keys(parsed.value)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("stringifyArguments", () => {
  it.each([
    '{"at":null}',
    '{"at":1e999,"in":[-1e999,null,0.1]}',
    '{"a":1e999,"b":1e999,"c":[-1e999,{"d":-1e999,"e":1e999}],"f":null}',
    '{"a":"null"}',
    '{"null":[1e999,1e999,1e999]}',
    "[1]",
    "null",
    "1e999",
    '"x"',
  ])("writes %s so that it is refused or taken as it was", (text) => {
    const written = stringifyArguments(JSON.parse(text));

    expect(JSON.parse(written)).toEqual(JSON.parse(text) ?? {});
  });

  it("writes what nests too deep to be written as something that nests too deep", () => {
    const deep = JSON.parse(`${"[".repeat(200_000)}${"]".repeat(200_000)}`) as unknown;

    expect(parseArguments(stringifyArguments({ deep }))).toEqual({ ok: false, problem: "nests deeper than 64 levels" });
  });
});
