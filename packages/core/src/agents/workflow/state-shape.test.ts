import { describe, expect, it } from "vitest";
import { StateShape, copyState } from "./state-shape.ts";

const refusalOf = (shape: StateShape, input: unknown) => {
  try {
    return shape.start(input);
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return { code, message };
  }
};

const full = { text: "", count: 0, flag: false, list: [], object: {}, open: null };

describe("StateShape.start", () => {
  it("begins with the initial state, over which the input is merged key by key", () => {
    const shape = new StateShape({ a: 1, b: { x: 1 } });

    expect(shape.start()).toEqual({ a: 1, b: { x: 1 } });
    expect(shape.start({})).toEqual({ a: 1, b: { x: 1 } });
    expect(shape.start({ b: { y: 2 } })).toEqual({ a: 1, b: { y: 2 } });
  });

  it("gives each run a state of its own, and keeps what it was given", () => {
    const initial = { list: [1] };
    const input = { list: [2] };
    const shape = new StateShape(initial);
    (shape.start()["list"] as number[]).push(9);
    (shape.start(input)["list"] as number[]).push(9);
    initial.list.push(8);

    expect(shape.start()).toEqual({ list: [1] });
    expect(input).toEqual({ list: [2] });
  });

  it.each<[string, unknown[], string]>([
    ["text", ["", "word", "1"], "a string"],
    ["count", [0, -1.5, 1e300], "a number"],
    ["flag", [true, false], "true or false"],
    ["list", [[], [1, "a"]], "an array"],
    ["object", [{}, { a: [] }], "an object"],
  ])("takes for %s values of the initial kind alone", (key, values, kind) => {
    const shape = new StateShape(full);
    for (const value of values) expect(shape.start({ [key]: value })).toEqual({ ...full, [key]: value });
    for (const other of ["x", 1, true, [1], { a: 1 }, null].filter((value) => !isOfKind(value, values[0]))) {
      expect(refusalOf(shape, { [key]: other })).toEqual({
        code: "invalid_request",
        message: `input.${key} must be ${kind}.`,
      });
    }
  });

  it.each([["x"], [1], [true], [[1]], [{ a: 1 }], [null]])("takes %j for a key that is null at first", (value) => {
    expect(new StateShape(full).start({ open: value })).toEqual({ ...full, open: value });
  });

  it.each([["text"], [1], [true], [[]], [null]])("refuses the input %j", (input) => {
    expect(refusalOf(new StateShape({}), input)).toEqual({
      code: "invalid_request",
      message: "input must be an object; it is merged over the initial state.",
    });
  });

  it.each(["other", "constructor", "toString", "__proto__", "COUNT"])("refuses the unknown key %s", (key) => {
    const input = Object.fromEntries([[key, 1]]);

    expect(refusalOf(new StateShape({ count: 0, list: [] }), input)).toEqual({
      code: "invalid_request",
      message: `Unknown key ${JSON.stringify(key)} in the input. Expected count, list.`,
    });
    expect(Object.entries(new StateShape({}).start(input))).toEqual([[key, 1]]);
  });

  it("repeats at most 64 characters of an unknown key", () => {
    expect(refusalOf(new StateShape({ a: 1 }), { ["k".repeat(64)]: 1 })).toMatchObject({
      message: `Unknown key "${"k".repeat(64)}" in the input. Expected a.`,
    });
    expect(refusalOf(new StateShape({ a: 1 }), { ["k".repeat(65)]: 1 })).toMatchObject({
      message: `Unknown key "${"k".repeat(64)}" in the input. Expected a.`,
    });
  });

  it("checks each key, also after one that fits", () => {
    expect(refusalOf(new StateShape(full), { text: "a", count: "1" })).toMatchObject({
      message: "input.count must be a number.",
    });
  });

  it.each<[unknown, string]>([
    [{ a: new Date(0) }, "input.a is a Date"],
    [{ a: { b: [() => 1] } }, "input.a.b[0] is a function"],
    [{ a: Number.NaN }, "input.a is NaN"],
  ])("names the place of what is not JSON: %#", (input, problem) => {
    expect(refusalOf(new StateShape({ a: null }), input)).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(problem) as string,
    });
  });
});

describe("the initial state", () => {
  it.each([[undefined], [null], ["text"], [[]], [1]])("must be an object: %j", (initialState) => {
    expect(() => new StateShape(initialState)).toThrow(expect.objectContaining({ code: "invalid_config" }));
    expect(() => new StateShape(initialState)).toThrow("initialState must be an object");
  });

  it("must be JSON", () => {
    expect(() => new StateShape({ a: [new Date(0)] })).toThrow("initialState.a[0] is a Date");
  });
});

describe("StateShape.kinds", () => {
  it("has the kind of each initial value, in their order", () => {
    expect([...new StateShape(full).kinds]).toEqual([
      ["text", "string"],
      ["count", "number"],
      ["flag", "boolean"],
      ["list", "list"],
      ["object", "object"],
      ["open", "open"],
    ]);
    expect([...new StateShape({}).kinds]).toEqual([]);
  });

  it("reads a key with an inherited name as its own", () => {
    expect([...new StateShape(JSON.parse('{"__proto__":"x","constructor":1}')).kinds]).toEqual([
      ["__proto__", "string"],
      ["constructor", "number"],
    ]);
  });
});

describe("copyState", () => {
  it("copies at all depths", () => {
    const state = { list: [{ a: 1 }] };
    const copy = copyState(state);
    (copy["list"] as { a: number }[])[0] = { a: 2 };

    expect(state).toEqual({ list: [{ a: 1 }] });
    expect(copyState(state)["list"]).not.toBe(state.list);
  });
});

function isOfKind(value: unknown, other: unknown): boolean {
  if (value === null) return false;
  return typeof value === typeof other && Array.isArray(value) === Array.isArray(other);
}
