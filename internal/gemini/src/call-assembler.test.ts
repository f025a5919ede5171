import type { PartialArg } from "@google/genai/web";
import { describe, expect, it } from "vitest";
import { CallAssembler } from "./call-assembler.ts";

/** Adds the pieces, of which none but the last returns a call, and returns that call. */
function assemble(...pieces: PartialArg[][]) {
  const calls = new CallAssembler();
  const first = { functionCall: { name: "look", id: "c1", willContinue: true }, thoughtSignature: "S" };
  const open = [first, ...pieces.map((partialArgs) => ({ functionCall: { partialArgs, willContinue: true } }))];
  expect(open.map((part) => calls.add(part))).toEqual(open.map(() => undefined));
  return calls.add({ functionCall: {} });
}

describe("CallAssembler", () => {
  it("returns the call with its last piece, with its name, id and signature", () => {
    const part = assemble(
      [{ jsonPath: "$.city", stringValue: "Os", willContinue: true }],
      [
        { jsonPath: "$.city", stringValue: "lo" },
        { jsonPath: "$.days", numberValue: 2 },
      ],
    );

    expect(part).toEqual({
      functionCall: { name: "look", id: "c1", args: { city: "Oslo", days: 2 } },
      thoughtSignature: "S",
    });
  });

  it("puts each value at its path", () => {
    const part = assemble([
      { jsonPath: "$.a.list[0].on", boolValue: false },
      { jsonPath: "$.a.list[1]", stringValue: "x" },
      { jsonPath: "$['a.b']", nullValue: "NULL_VALUE" },
      { jsonPath: "$.a.list[1]", stringValue: "y" },
    ]);

    expect(part?.functionCall?.args).toEqual({ a: { list: [{ on: false }, "xy"] }, "a.b": null });
  });

  it("changes no prototype", () => {
    const part = assemble([
      { jsonPath: "$.__proto__.spoilt", boolValue: true },
      { jsonPath: "$.constructor.prototype.spoilt", boolValue: true },
    ]);

    expect(({} as Record<string, unknown>)["spoilt"]).toBeUndefined();
    expect(Object.keys(part?.functionCall?.args ?? {})).toEqual(["__proto__", "constructor"]);
  });

  it("assembles one call after the other, and then returns a whole call as it is", () => {
    const calls = new CallAssembler();
    const add = (functionCall: object) => calls.add({ functionCall });
    const pieces = ["a", "b", "c"].map((name) => [
      add({ name, partialArgs: [{ jsonPath: `$.${name}`, stringValue: "1" }], willContinue: true }),
      add({ partialArgs: [{ jsonPath: `$.${name}`, stringValue: "2" }] }),
    ]);

    expect(pieces).toEqual(
      ["a", "b", "c"].map((name) => [undefined, { functionCall: { name, args: { [name]: "12" } } }]),
    );
    expect(add({ name: "now", args: { zone: "utc" } })).toEqual({
      functionCall: { name: "now", args: { zone: "utc" } },
    });
  });

  it("takes all pieces in one part, and returns other parts as they are", () => {
    const calls = new CallAssembler();
    const whole = { functionCall: { name: "now", args: { zone: "utc" } } };
    const partialArgs = [{ jsonPath: "$.a", numberValue: 1 }];

    expect(calls.add({ functionCall: { name: "look", partialArgs } })).toEqual({
      functionCall: { name: "look", args: { a: 1 } },
    });
    expect(calls.add(whole)).toBe(whole);
    expect(calls.add({ text: "Yes." })).toEqual({ text: "Yes." });
  });
});
