import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { checkApiKey, isApiKey } from "./api-keys.ts";

const caught = (work: () => unknown): Error => {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
};

describe("checkApiKey", () => {
  it.each(["k", "sk-proj-abc_DEF.123~", '!"#$%&()*+,/:;<=>?@[]^`{|}'])("takes %s [keys.opaque]", (key) => {
    expect(checkApiKey(key, "the header x-api-key")).toBe(key);
  });

  it("takes a key of 16 KB [keys.length]", () => {
    const key = "k".repeat(16_384);

    expect(checkApiKey(key, "the header x-api-key")).toBe(key);
  });

  it.each([
    ["nothing", ""],
    ["a line break", "sk-canary\n1"],
    ["a line break at its end", "sk-canary\n"],
    ["a carriage return", "sk-canary\r\nx-admin: 1"],
    ["a NUL", "sk-canary\u00001"],
    ["a DEL", "sk-canary\u007f"],
    ["a space", "sk-canary 1"],
    ["a curly quote", "sk-canary’"],
    ["an emoji", "sk-canary😀"],
    ["a list", ["sk-canary"]],
    ["an object", { sk: "sk-canary" }],
    ["null", null],
    ["a number", 5],
  ])("rejects %s, names the place, and does not show the value", (_what, value) => {
    const error = caught(() => checkApiKey(value, "the header x-api-key"));

    expect(error).toMatchObject({
      code: "invalid_request",
      message: "The API key in the header x-api-key must be 1 to 16384 visible ASCII characters without spaces.",
      fields: {},
    });
    expect(error.cause).toBeUndefined();
  });

  it("rejects a key over 16 KB with its length, and does not show it [keys.length]", () => {
    const error = caught(() => checkApiKey("sk-canary".repeat(1821), "the field apiKey"));

    expect(error).toMatchObject({
      code: "invalid_request",
      message:
        "The API key in the field apiKey must be 1 to 16384 visible ASCII characters without spaces, got 16389 characters.",
    });
  });

  it("accepts only values that fit into a header", () => {
    assert(
      property(string({ unit: "binary", minLength: 1, maxLength: 20 }), (value) => {
        try {
          checkApiKey(value, "a test");
        } catch {
          return;
        }
        expect(new Headers({ "x-api-key": value }).get("x-api-key")).toBe(value);
      }),
    );
  });
});

it("a key one character too long is refused with its length, under the code that is given", () => {
  const key = "k".repeat(16_385);

  expect(isApiKey(key)).toBe(false);
  expect(isApiKey(key.slice(1))).toBe(true);
  expect(() => checkApiKey(key, "apiKey", "invalid_config")).toThrow(
    expect.objectContaining({
      code: "invalid_config",
      message:
        "The API key in apiKey must be 1 to 16384 visible ASCII characters without spaces, got 16385 characters.",
    }),
  );
});
