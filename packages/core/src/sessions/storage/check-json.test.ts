import { describe, expect, it } from "vitest";
import { parseJson, toJson } from "./check-json.ts";

const at = { namespace: "turns", key: "a/b" };

describe("toJson", () => {
  it("copies a record with optional fields", () => {
    expect(toJson({ a: 1, title: undefined })).toEqual({ a: 1 });
  });

  it("rejects a value that is not JSON with an invalid_value that names its place", () => {
    expect(() => toJson({ a: [1n] })).toThrow(
      expect.objectContaining({
        code: "invalid_value",
        message: "value.a[0] is a BigInt, which JSON cannot hold: use a string.",
      }),
    );
  });
});

describe("parseJson", () => {
  it("reads what toJson and JSON.stringify wrote", () => {
    const value = toJson(JSON.parse('{"__proto__":{"a":1},"text":"\\u0000"}'));

    expect(JSON.stringify(parseJson(JSON.stringify(value), at))).toBe(JSON.stringify(value));
  });

  it.each([
    ["", "it is not JSON"],
    ['{"prompt":"tell nob', "it is not JSON"],
    ["undefined", "it is not JSON"],
    [5, "it is not a string"],
    [null, "it is not a string"],
    [Buffer.from("{}"), "it is not a string"],
    ["[".repeat(5000) + "]".repeat(5000), "nests deeper than 64 levels"],
    ["[1e400]", "its value[0] is Infinity"],
    ['{"a":"\\ud800"}', "its value.a holds an unpaired surrogate"],
  ])("reports %o as corrupt", (text, problem) => {
    expect(() => parseJson(text, at)).toThrow(
      expect.objectContaining({ code: "storage_corrupt", message: expect.stringContaining(problem), fields: at }),
    );
  });

  it("quotes nothing of a damaged string, not even in its cause", () => {
    const caught = (() => {
      try {
        return parseJson('{"prompt":secret', at);
      } catch (error) {
        return error as Error;
      }
    })() as Error;

    expect(caught.message).not.toContain("secret");
    expect(caught.cause).toBeUndefined();
  });
});
