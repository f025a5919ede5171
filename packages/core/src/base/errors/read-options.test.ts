import { describe, expect, expectTypeOf, it } from "vitest";
import { stringOption, integerOption, oneOf, optional } from "./option-checks.ts";
import { readOptions, wrongOption } from "./read-options.ts";
import type { OptionTable } from "./read-options.ts";
import { TroupeError } from "./troupe-error.ts";

type BoxOptions = { name: string; size?: number; label?: string; lid?: "open" | "shut" };

const table = {
  name: stringOption,
  size: optional(integerOption(1), 3),
  label: optional(stringOption),
  lid: optional(oneOf("open", "shut")),
} satisfies OptionTable<BoxOptions>;

const where = { owner: "box" };

class Box {
  readonly name = "b";
  readonly contents = [];
}

describe("readOptions", () => {
  it("returns a new object with the given options and the defaults, and nothing for the rest", () => {
    const given = { name: "a", label: undefined, lid: "open" };
    const read = readOptions(table, given, where);

    expect(read).toStrictEqual({ name: "a", size: 3, lid: "open" });
    expectTypeOf(read).toExtend<{ name: string; size: number; label?: string; lid?: "open" | "shut" }>();
    expectTypeOf<keyof typeof read>().toEqualTypeOf<keyof BoxOptions>();
  });

  it("reads options that an object inherits or computes", () => {
    const given = Object.create({ name: "a" }, { size: { get: () => 5 } });

    expect(readOptions(table, given, where)).toEqual({ name: "a", size: 5 });
  });

  it("rejects a required option that is missing", () => {
    expect(() => readOptions(table, {}, where)).toThrow(
      new TroupeError("invalid_config", "name must be a string, got undefined."),
    );
  });

  it.each(["nothing", "constructor", "toString", "__proto__"])("rejects the unknown option %s", (unknown) => {
    const given = JSON.parse(`{ "name": "a", "${unknown}": {} }`);

    expect(() => readOptions(table, given, where)).toThrow(
      new TroupeError("invalid_config", `Unknown option "${unknown}" of box "a". Expected name, size, label or lid.`),
    );
  });

  it("rejects an unknown option whose value is undefined", () => {
    expect(() => readOptions(table, { name: "a", nmae: undefined }, where)).toThrow(
      'Unknown option "nmae" of box "a".',
    );
  });

  it("names the owner alone where the options have no name, and the path where there is no owner", () => {
    expect(() => readOptions(table, { foo: 1 }, where)).toThrow('Unknown option "foo" of box.');
    expect(() => readOptions(table, { foo: 1 }, { path: "shelf.box" })).toThrow('Unknown option "foo" of shelf.box.');
  });

  it.each([
    ["nmae", " Did you mean name?"],
    ["Label", " Did you mean label?"],
    ["la_bel", " Did you mean label?"],
    ["lit", " Did you mean lid?"],
    ["lis", " Did you mean lid?"],
    ["lock", ""],
    ["cover", " Did you mean lid?"],
    ["ab", ""],
    ["toString", ""],
  ])(
    "offers for the unknown option %s the nearest name, or the one that another library's stands for",
    (unknown, hint) => {
      const others = { ...where, internal: ["size"], otherNames: { cover: "lid" } };

      expect(() => readOptions(table, { name: "a", [unknown]: 1 }, others)).toThrow(
        new TroupeError(
          "invalid_config",
          `Unknown option "${unknown}" of box "a". Expected name, label or lid.${hint}`,
        ),
      );
    },
  );

  it("shortens names that are longer than any option", () => {
    expect(() => readOptions(table, { ["x".repeat(70)]: 1 }, where)).toThrow(`Unknown option "${"x".repeat(64)}" of`);
  });

  it.each([
    [null, "null"],
    ["a", "a string"],
    [[], "an array"],
  ])("rejects %j in place of an object", (options, shown) => {
    expect(() => readOptions(table, options, where)).toThrow(`The options of box must be an object, got ${shown}.`);
    expect(() => readOptions(table, options, { path: "box" })).toThrow(`box must be an object, got ${shown}.`);
  });

  it("lets an instance of a class hold other fields only where classes are open", () => {
    const open = { ...where, openClasses: true };

    expect(readOptions(table, new Box(), open)).toEqual({ name: "b", size: 3 });
    expect(() => readOptions(table, new Box(), where)).toThrow('Unknown option "contents" of box "b".');
    expect(() => readOptions(table, { name: "b", contents: [] }, open)).toThrow(
      'Unknown option "contents" of box "b".',
    );
  });

  it("throws errors of the code that it is given", () => {
    const request = { ...where, code: "invalid_request" } as const;
    const refusal = expect.objectContaining({ code: "invalid_request" });

    expect(() => readOptions(table, {}, request)).toThrow(refusal);
    expect(() => readOptions(table, null, request)).toThrow(refusal);
    expect(() => readOptions(table, { name: "a", foo: 1 }, request)).toThrow(refusal);
  });
});

describe("wrongOption", () => {
  it.each([
    ["5", 5],
    ["true", true],
    ["undefined", undefined],
    ["null", null],
    ["a string", "sk-secret"],
    ["an array", ["sk-secret"]],
    ["an object", { key: "sk-secret" }],
    ["a function", () => "sk-secret"],
    ["a bigint", 5n],
  ])("shows a value that may be a secret by its type alone: %s", (shown, value) => {
    expect(wrongOption("apiKey", "a key", value).message).toBe(`apiKey must be a key, got ${shown}.`);
  });
});
