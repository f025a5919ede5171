import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkJson, cleanJson } from "./clean-json.ts";

const clean = (value: unknown) => cleanJson(value, (place, problem) => new Error(`value${place} ${problem}`));
const nested = (levels: number): unknown => (levels === 0 ? "end" : [nested(levels - 1)]);

describe("cleanJson", () => {
  it("returns a deep copy of any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(text.isWellFormed() && !text.includes("\\ud"));

        expect(JSON.stringify(clean(value))).toBe(text);
      }),
    );
  });

  it("copies arrays and objects at every level", () => {
    const value = { list: [{ inner: [1] }] };

    const copy = clean(value) as typeof value;

    expect(copy).toEqual(value);
    expect(copy.list).not.toBe(value.list);
    expect(copy.list[0]).not.toBe(value.list[0]);
    expect(copy.list[0]?.inner).not.toBe(value.list[0]?.inner);
  });

  it("leaves out properties that are undefined, and turns -0 into 0", () => {
    const copy = clean({ a: undefined, b: -0, c: [-0] }) as { b: number };

    expect(Object.keys(copy)).toEqual(["b", "c"]);
    expect(Object.is(copy.b, 0)).toBe(true);
  });

  it("copies a property named __proto__ as data and changes no prototype", () => {
    const value: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');

    const copy = clean(value) as object;

    expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("accepts plain objects without a prototype or from another realm", () => {
    const bare: unknown = Object.assign(Object.create(null), { a: 1 });

    expect(clean(bare)).toEqual({ a: 1 });
    expect(clean(runInNewContext("({ a: [1] })"))).toEqual({ a: [1] });
  });

  it("accepts strings with NUL and long strings", () => {
    const texts = ["\0", "a\0b", "😀", "\ufffd", "x".repeat(100_000)];

    expect(clean(texts)).toEqual(texts);
  });

  it("accepts 64 levels and no more", () => {
    expect(clean(nested(64))).toEqual(nested(64));
    expect(() => clean(nested(65))).toThrow(/\[0\].* nests deeper than 64 levels, or contains itself/);
  });

  it("rejects an object with another prototype, whose properties would be lost", () => {
    const value: unknown = Object.create({ tenant: "acme" });

    expect(() => clean(value)).toThrow("value is a class instance, which JSON cannot hold");
  });

  it("rejects a value that contains itself, and one with more than a million parts", () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    let bomb: unknown = [];
    for (let level = 0; level < 30; level++) bomb = [bomb, bomb];

    expect(() => clean(loop)).toThrow("contains itself");
    expect(() => clean(bomb)).toThrow("comes after 1000000 other values, which is too many");
  });

  it.each([
    [undefined, "value is undefined, which JSON cannot hold: use null"],
    [[1, undefined], "value[1] is undefined, which JSON cannot hold: use null"],
    [Array(2), "value[0] is undefined, which JSON cannot hold: use null"],
    [{ a: [0, 1, 2, NaN] }, "value.a[3] is NaN, which JSON cannot hold: use null or a string"],
    [{ "odd key": -Infinity }, 'value["odd key"] is -Infinity, which JSON cannot hold: use null or a string'],
    [10n, "value is a BigInt, which JSON cannot hold: use a string"],
    [{ f: () => 1 }, "value.f is a function, which JSON cannot hold"],
    [{ toJSON: () => 1 }, "value.toJSON is a function, which JSON cannot hold"],
    [Symbol("s"), "value is a symbol, which JSON cannot hold"],
    ["\ud800", "value holds an unpaired surrogate: call toWellFormed() on the string"],
    [{ a: { "\udc00": 1 } }, "value.a holds an unpaired surrogate: call toWellFormed() on the string"],
  ])("rejects %o and names the place and the reason", (value, message) => {
    expect(() => clean(value)).toThrow(message);
  });

  it.each([new Map(), new Set(), Buffer.from("a"), /a/, new Error("a"), Object(1)])(
    "rejects %o as a class instance",
    (value) => {
      expect(() => clean({ a: value })).toThrow("value.a is a class instance, which JSON cannot hold");
    },
  );

  it("rejects a Date with a sentence that says what to use", () => {
    expect(() => clean({ at: new Date(0) })).toThrow(
      "value.at is a Date, which JSON cannot hold: use its toISOString()",
    );
  });

  it("cuts a path that is too long", () => {
    const far = { ["k".repeat(10_000)]: NaN };

    expect(() => clean(far)).toThrow(/^value\.k{199}… is NaN/);
  });
});

it("cleanJson rejects an array whose toJSON would be called", () => {
  expect(() => clean({ a: Object.assign([1], { toJSON: () => new Date(0) }) })).toThrow(
    "value.a is an array with a method toJSON, which would be called: use a plain array",
  );
});

describe("checkJson", () => {
  const check = (value: unknown) => checkJson(value, (place, problem) => new Error(`value${place} ${problem}`));

  it("throws for a value exactly if cleanJson does, with the same error", () => {
    const errorOf = (call: (value: unknown) => unknown, value: unknown): unknown => {
      try {
        call(value);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    };
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }), (value) => {
        expect(errorOf(check, value)).toBe(errorOf(clean, value));
      }),
    );
  });

  it("lets JSON.stringify write the same text as for the copy", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (value) => {
        try {
          check(value);
        } catch {
          fc.pre(false);
        }
        expect(JSON.stringify(value)).toBe(JSON.stringify(clean(value)));
      }),
    );
  });
});
