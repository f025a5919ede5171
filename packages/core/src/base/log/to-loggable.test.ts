import { anything, assert, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { TroupeError } from "../errors/troupe-error.ts";
import { createRedactor } from "./redact.ts";
import { toLoggable } from "./to-loggable.ts";

const secret = "sk-canary-0123456789";
const show = (value: unknown) => toLoggable(value, createRedactor([secret]));

describe("toLoggable", () => {
  it("does not change plain data", () => {
    const data = { text: "a", count: 1, none: null, yes: true, list: [1, { deep: "b" }] };

    expect(show(data)).toEqual(data);
  });

  it("describes values that JSON cannot hold", () => {
    const shown = show({
      big: 12n,
      nan: NaN,
      symbol: Symbol("s"),
      fn: () => 1,
      date: new Date(0),
      noDate: new Date(NaN),
      url: new URL("https://a.test/?key=abc"),
      bytes: new Uint8Array(5),
      gone: undefined,
    });

    expect(shown).toEqual({
      big: "12",
      nan: "NaN",
      symbol: "Symbol(s)",
      fn: "[function]",
      date: "1970-01-01T00:00:00.000Z",
      noDate: "Invalid Date",
      url: "https://a.test/?key=[redacted]",
      bytes: "[5 bytes]",
    });
  });

  it("hides secrets by the name of the field, by the element before them in an array, and by value", () => {
    const shown = show({
      headers: { authorization: "Basic abc", "x-api-key": ["k"], accept: "text/plain" },
      rawHeaders: ["Accept", "text/plain", "X-OpenAI-Api-Key", "k"],
      apiKeys: { openai: "k" },
      token: 5,
      password: null,
      usage: { totalTokens: 5, maxTokens: 6 },
      note: `The key ${secret} was used.`,
      [secret]: 1,
    });

    expect(shown).toEqual({
      headers: { authorization: "[redacted]", "x-api-key": "[redacted]", accept: "text/plain" },
      rawHeaders: ["Accept", "text/plain", "X-OpenAI-Api-Key", "[redacted]"],
      apiKeys: "[redacted]",
      token: "[redacted]",
      password: null,
      usage: { totalTokens: 5, maxTokens: 6 },
      note: "The key [redacted] was used.",
      "[redacted]": 1,
    });
  });

  it("shows names, messages, codes and stacks of an error and its causes, and no other properties", () => {
    const vendor = Object.assign(new TypeError(`Bad header Bearer ${secret}`), {
      code: "ECONNRESET",
      config: { headers: { authorization: secret } },
    });
    const shown = show(
      new TroupeError("model_failed", "openai failed.", { cause: vendor, fields: { vendor: "openai" } }),
    );

    expect(shown).toMatchObject({
      name: "TroupeError",
      code: "model_failed",
      message: "openai failed.",
      fields: { vendor: "openai" },
      cause: { name: "TypeError", code: "ECONNRESET", message: "Bad header Bearer [redacted]" },
    });
    expect(JSON.stringify(shown)).toContain("to-loggable.test.ts");
    expect(JSON.stringify(shown)).not.toMatch(/canary|config/);
  });

  it("marks a cycle, and shows a repeated value each time", () => {
    const shared = { a: 1 };
    const cyclic: Record<string, unknown> = { first: shared, second: shared };
    cyclic["self"] = cyclic;
    const error = new Error("text");
    error.cause = error;

    expect(show(cyclic)).toEqual({ first: { a: 1 }, second: { a: 1 }, self: "[circular]" });
    expect(show(error)).toMatchObject({ message: "text", cause: "[circular]" });
  });

  it("marks a value that it could not read", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const hostile = {
      get a(): string {
        throw new Error(secret);
      },
      b: 1,
    };

    expect(show({ hostile, proxy })).toEqual({ hostile: { a: "[unreadable]", b: 1 }, proxy: "[unreadable]" });
  });

  it("keeps a key named __proto__ a key", () => {
    const shown = show(JSON.parse('{"__proto__":{"polluted":1}}'));

    expect(Object.keys(shown as object)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("cuts values that are long, wide, deep or all of these", () => {
    let deep: unknown = "bottom";
    for (let level = 0; level < 1000; level++) deep = { deep };
    const row = Array.from({ length: 40 }, (_, index) => index);
    const wide = row.map(() => row.map(() => row));

    expect(show("x".repeat(1_000_000))).toHaveLength(2001);
    expect(show(Array.from({ length: 60 }, () => 0))).toHaveLength(51);
    expect(Object.keys(show(Object.fromEntries("x".repeat(60).split("").entries())) as object)).toHaveLength(51);
    expect(JSON.stringify(show(deep))).toContain("[…]");
    expect(JSON.stringify(show(wide)).length).toBeLessThan(20_000);
  });

  it("never throws, and always returns a JSON value", () => {
    assert(
      property(
        anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withTypedArray: true }),
        (value) => {
          expect(typeof JSON.stringify(show(value))).toBe("string");
        },
      ),
    );
  });
});

describe("the limits of a logged value", () => {
  const nested = (levels: number) => {
    let value: unknown = "bottom";
    for (let level = 0; level < levels; level++) value = { v: value };
    return value;
  };

  it("are 2000 characters of a text, and 128 of a name", () => {
    expect(show("x".repeat(2000))).toBe("x".repeat(2000));
    expect(show("x".repeat(2001))).toBe(`${"x".repeat(2000)}…`);
    expect(show(Symbol("x".repeat(3000)))).toBe(`Symbol(${"x".repeat(1993)}…`);
    expect(show({ ["n".repeat(128)]: 1, ["m".repeat(129)]: 2 })).toEqual({
      ["n".repeat(128)]: 1,
      [`${"m".repeat(128)}…`]: 2,
    });
  });

  it("are 50 entries of an array or an object, whose rest is counted", () => {
    const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
    const record = (count: number) => Object.fromEntries(numbers(count).map((index) => [`k${index}`, index]));

    expect(show(numbers(50))).toEqual(numbers(50));
    expect(show(numbers(52))).toEqual([...numbers(50), "[2 more]"]);
    expect(show(record(50))).toEqual(record(50));
    expect(show(record(51))).toEqual({ ...record(50), "…": "[1 more]" });
  });

  it("are eight levels of objects", () => {
    expect(show(nested(8))).toEqual(nested(8));
    expect(JSON.stringify(show(nested(9)))).toBe(JSON.stringify(nested(8)).replace("bottom", "[…]"));
  });

  it("are 500 values in all, after which objects are left out", () => {
    const rows = (count: number) => Array.from({ length: count }, () => Array.from({ length: 50 }, () => 0));
    const shown = show(rows(11));

    expect(shown).toEqual([...rows(10), "[…]"]);
  });
});

it("toLoggable hides a secret by the element before it only in its own place", () => {
  expect(show(["authorization", "k", "k2", 5, "token", { a: 1 }])).toEqual([
    "authorization",
    "[redacted]",
    "k2",
    5,
    "token",
    "[redacted]",
  ]);
});
