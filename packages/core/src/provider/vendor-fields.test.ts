import { describe, expect, it } from "vitest";
import type { VendorOptions } from "../model/model-config.ts";
import { withVendorFields } from "./vendor-fields.ts";

const merged = (body: object, fields: Record<string, unknown>) => withVendorFields(body, { acme: fields }, "acme");

describe("withVendorFields", () => {
  it.each<[object, Record<string, unknown>, object]>([
    [{ a: 1 }, {}, { a: 1 }],
    [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    [{ a: 1 }, { a: 2 }, { a: 2 }],
    [{ a: 1 }, { a: null }, { a: null }],
    [{ a: 1 }, { a: false, b: 0 }, { a: false, b: 0 }],
    [{ a: { x: 1, y: 1 } }, { a: { y: 2, z: 2 } }, { a: { x: 1, y: 2, z: 2 } }],
    [{ a: { b: { x: 1 } } }, { a: { b: { y: 2 } } }, { a: { b: { x: 1, y: 2 } } }],
    [{ a: { x: 1 } }, { a: 5 }, { a: 5 }],
    [{ a: 5 }, { a: { x: 1 } }, { a: { x: 1 } }],
    [{ a: { x: 1 } }, { a: [1] }, { a: [1] }],
    [{ a: { type: "one", x: 1 } }, { a: { y: 2 } }, { a: { type: "one", x: 1, y: 2 } }],
    [{ a: { type: "one", x: 1 } }, { a: { type: "one", y: 2 } }, { a: { type: "one", x: 1, y: 2 } }],
    [{ a: { type: "one", x: 1 } }, { a: { type: "two", y: 2 } }, { a: { type: "two", y: 2 } }],
    [{ a: { x: 1 } }, { a: { type: "two", y: 2 } }, { a: { type: "two", y: 2 } }],
    [{ list: [1, 2] }, { list: [3] }, { list: [3] }],
  ])("merges into %j the fields %j", (body, fields, whole) => {
    const [given, before] = [structuredClone(fields), structuredClone(body)];

    expect(merged(body, fields)).toEqual(whole);
    expect([fields, body]).toEqual([given, before]);
  });

  it.each(["tools", "include"])("joins the array %s to ours, at the root alone", (name) => {
    expect(merged({ [name]: [{ a: 1 }] }, { [name]: [{ b: 2 }] })).toEqual({ [name]: [{ a: 1 }, { b: 2 }] });
    expect(merged({ [name]: [1] }, { [name]: [] })).toEqual({ [name]: [1] });
    expect(merged({ [name]: [1] }, {})).toEqual({ [name]: [1] });
    expect(merged({}, { [name]: [2] })).toEqual({ [name]: [2] });
    expect(merged({ [name]: [1] }, { [name]: null })).toEqual({ [name]: null });
    expect(merged({ in: { [name]: [1] } }, { in: { [name]: [2] } })).toEqual({ in: { [name]: [2] } });
  });

  it("leaves out stream, at the root alone", () => {
    expect(merged({ stream: true }, { stream: false, more: { stream: false } })).toEqual({
      stream: true,
      more: { stream: false },
    });
    expect(merged({}, { stream: true })).toEqual({});
  });

  it.each<[string, VendorOptions | undefined]>([
    ["no options", undefined],
    ["options of other vendors", { other: { a: 2 } }],
    ["options of none", {}],
  ])("returns the body itself for %s", (_, vendor) => {
    const body = { a: 1 };

    expect(withVendorFields(body, vendor, "acme")).toBe(body);
    expect(withVendorFields(body, vendor, "constructor")).toBe(body);
  });

  it("takes names that objects inherit for names like any other", () => {
    const fields = JSON.parse('{"__proto__":{"a":1},"constructor":{"b":2},"toString":[3]}') as Record<string, unknown>;
    const whole = merged({ own: 1 }, fields);

    expect(Object.keys(whole)).toEqual(["own", "__proto__", "constructor", "toString"]);
    expect(JSON.parse(JSON.stringify(whole))).toEqual(JSON.parse(JSON.stringify({ own: 1, ...fields })));
    expect(Object.getPrototypeOf(whole)).toBe(Object.prototype);
    expect(({} as { a?: number }).a).toBeUndefined();
  });
});
