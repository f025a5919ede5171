import type { Part } from "@google/genai/web";
import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { callsIn, replayOf, toLegalName, toVendorState } from "./replay.ts";

const model = { providerId: "google", modelId: "gemini" };
const look: Part = { functionCall: { name: "look", args: {} } };
const named: Part = { functionCall: { id: "c", name: "look" } };
const code = { executableCode: { code: "1" } } as Part;

describe("toVendorState", () => {
  it.each<[string, Part[], object | undefined]>([
    ["a signature", [{ text: "A", thoughtSignature: "S" }], {}],
    ["a signature behind others", [{ text: "A" }, { ...look, thoughtSignature: "S" }], {}],
    ["an id of the vendor", [named], {}],
    ["a call of the vendor's own tool", [{ text: "A" }, code], { stored: true }],
    ["neither", [{ text: "A" }, look], undefined],
    ["an empty id", [{ functionCall: { id: "", name: "look" } }], undefined],
    ["nothing", [], undefined],
  ])("keeps an answer with %s", (_, parts, more) => {
    expect(toVendorState(parts, model)).toStrictEqual(more && { ...model, items: parts, ...more });
  });

  it("leaves empty texts out, unless they are signed", () => {
    const signed = { text: "", thoughtSignature: "S" };

    expect(toVendorState([{ text: "" }, signed, named], { ...model })?.items).toEqual([signed, named]);
  });
});

describe("replayOf", () => {
  function answer(items: unknown, names: readonly string[] = ["look"]): ModelMessage {
    const toolCalls = names.map((name, index) => ({ id: `own-${index}`, name, arguments: {} }));
    return { role: "assistant", content: "A", toolCalls, vendorState: { ...model, items } };
  }

  const see: Part = { functionCall: { name: "see" } };

  it.each<[string, ModelMessage, Part[] | undefined]>([
    ["with its calls", answer([{ text: "A" }, named]), [{ text: "A" }, named]],
    ["with two calls", answer([look, see], ["look", "see"]), [look, see]],
    ["whose calls changed places", answer([look, see], ["see", "look"]), undefined],
    ["that lost a call", answer([look, see]), undefined],
    ["that got a call", answer([look], ["look", "look"]), undefined],
    ["with a state of another kind", answer({ 0: look }), undefined],
    ["of another model", { ...answer([look]), vendorState: { ...model, modelId: "other", items: [look] } }, undefined],
    ["without state", { role: "assistant", content: "A" }, undefined],
  ])("returns the parts of an answer %s", (_, message, expected) => {
    expect(replayOf(message, model)).toEqual(expected);
  });

  it("gives a call a name that the vendor takes, and changes nothing that is kept", () => {
    const kept = [{ functionCall: { id: "c", name: "look up", args: { a: 1 } }, thoughtSignature: "S" }];
    const before = structuredClone(kept);

    expect(replayOf(answer(kept, ["look up"]), model)).toEqual([
      { functionCall: { id: "c", name: "look_up", args: { a: 1 } }, thoughtSignature: "S" },
    ]);
    expect(kept).toEqual(before);
  });
});

it.each([
  ["look-up.now:1", "look-up.now:1"],
  ["look up/ä", "look_up__"],
  ["1st", "_1st"],
  ["-a", "_-a"],
  ["_a", "_a"],
  ["", "_"],
  ["a".repeat(128), "a".repeat(128)],
  ["a".repeat(129), "a".repeat(128)],
  ["1".repeat(128), `_${"1".repeat(127)}`],
])("a replay writes the name %j as %j", (name, expected) => {
  expect(toLegalName(name)).toBe(expected);
});

it("a replay finds the calls among parts, in their order", () => {
  expect(callsIn([named, { text: "A" }, look])).toEqual([named.functionCall, look.functionCall]);
});
