import { describe, expect, it } from "vitest";
import type { ModelResponse } from "../../model/model-response.ts";
import type { VendorState } from "../../model/vendor-state.ts";
import { isSoundCallId, normalizeResponse, readCallId, soundToolName } from "./normalize-response.ts";

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const bare: ModelResponse = { text: "Hi", toolCalls: [], usage, finishReason: "stop" };
const half = "\ud83d";

const normal = (more: { [Name in keyof ModelResponse]?: unknown }) =>
  normalizeResponse({ ...bare, ...more } as ModelResponse);
const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
const call = (id: unknown, args: unknown = {}, name: unknown = "look") => ({ id, name, arguments: args });
const failure = (message: string) => expect.objectContaining({ code: "model_failed", message });

describe("normalizeResponse", () => {
  it("keeps a sound response as it is, and nothing that it does not know", () => {
    const vendorState: VendorState = { providerId: "v", modelId: "m", items: [{ a: 1 }], stored: true };
    const details = { sources: [{ id: "s" }], skippedCalls: 1, responseId: "r", model: "m-1" };
    const response = { ...bare, ...details, thinking: "Hm", vendorState, finishReason: "tool_calls" } as ModelResponse;
    const toolCalls = [call("1", { at: "Oslo" }), call("2")];
    const result = normalizeResponse({ ...response, toolCalls, raw: 1 } as ModelResponse);

    expect(result).toStrictEqual({ ...response, toolCalls });
    expect(result.vendorState).toBe(vendorState);
  });

  it.each([[undefined], [null], [{}], [{ ...bare, finishReason: undefined }], [{ ...bare, finishReason: 1 }]])(
    "refuses a response without a finish reason: %j",
    (response) => {
      expect(() => normalizeResponse(response as ModelResponse)).toThrow(
        failure("The model's answer ended before it was complete."),
      );
    },
  );

  it.each<[more: object, kept: object]>([
    [{ text: `a${half}` }, { text: "a\ufffd" }],
    [{ text: undefined }, { text: "" }],
    [{ text: 5 }, { text: "" }],
    [{ thinking: `b${half}` }, { thinking: "b\ufffd" }],
    [{ thinking: null }, { thinking: "" }],
    [{ usage: undefined }, { usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 } }],
    [{ usage: { ...usage, totalTokens: -1 } }, { usage }],
    [{ finishReason: "end_turn" }, { finishReason: "other" }],
    [{ toolCalls: undefined }, {}],
    [{ toolCalls: "none" }, {}],
    [{ toolCalls: [null, "x", []] }, {}],
    [{ malformedArguments: [{ toolCallId: "1", text: "{" }] }, {}],
  ])("mends what a vendor may get wrong: %j", (more, kept) => {
    expect(normal(more)).toStrictEqual({ ...bare, ...kept });
  });

  it("takes at most 16,777,216 characters of text and thinking together", () => {
    const text = "x".repeat(16_777_215);

    expect(normal({ text, thinking: "y" }).text).toHaveLength(16_777_215);
    expect(() => normal({ text, thinking: "yy" })).toThrow(
      failure("The model's answer is longer than 16777216 characters. It was ended there."),
    );
  });

  const state = (items: unknown): VendorState => ({ providerId: "v", modelId: "m", items });

  it.each<[what: string, given: VendorState, kept: VendorState | undefined]>([
    ["nests 48 levels deep", state(nested(47)), state(nested(47))],
    ["nests 49 levels deep", state(nested(48)), undefined],
    ["holds a number without end", state([{ a: Infinity }]), undefined],
    ["holds no number", state({ a: NaN }), undefined],
    ["holds null", state([null, true]), state([null, true])],
    ["holds half of a character", state({ a: [`x${half}`] }), state({ a: ["x\ufffd"] })],
    ["has half of a character in a name", state([{ [half]: 1 }]), state([{ "\ufffd": 1 }])],
  ])("keeps a vendor's state, or leaves it out whole, when it %s", (_, given, kept) => {
    expect(normal({ vendorState: given })).toStrictEqual(kept === undefined ? bare : { ...bare, vendorState: kept });
  });
});

describe("the calls of a response", () => {
  it.each<[what: string, given: unknown[], kept: unknown[]]>([
    ["the first with each id", [call("1", { a: 1 }), call("2"), call("1", { a: 2 })], [call("1", { a: 1 }), call("2")]],
    ["a number as an id", [call(0), call("0"), call(7)], [call("0"), call("7")]],
    ["all without an id", [call(""), call(null)], [call(expect.any(String)), call(expect.any(String))]],
    ["a name that is none", [call("1", {}, "")], [call("1", {}, "(unnamed)")]],
    ["names like inherited members", [call("__proto__", {}, "constructor")], [call("__proto__", {}, "constructor")]],
  ])("are kept: %s", (_, toolCalls, kept) => {
    expect(normal({ toolCalls })).toStrictEqual({ ...bare, toolCalls: kept });
  });

  it("have ids of their own in place of none and of ones that cannot be kept", () => {
    const { toolCalls } = normal({ toolCalls: [call(""), call({}), call(`x${half}`), call("y".repeat(16_385))] });
    const ids = toolCalls.map(({ id }) => id);

    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => /^[\w-]{20,40}$/.test(id) && !id.startsWith("y"))).toBe(true);
  });

  it.each<[args: unknown, problem: string]>([
    [[], "is not an object"],
    ["{}", "is not an object"],
    [null, "is not an object"],
    [nested(49), "nests deeper than 48 levels"],
    [{ a: Infinity }, "holds the number Infinity, which JSON cannot hold"],
    [{ a: half }, "holds an unpaired surrogate, which is no character"],
  ])("are malformed with arguments that no turn could store", (args, problem) => {
    expect(normal({ toolCalls: [call("1", { ok: 1 }), call(2, args)] })).toStrictEqual({
      ...bare,
      toolCalls: [call("1", { ok: 1 }), call("2", {})],
      malformedArguments: [{ toolCallId: "2", text: "", problem }],
    });
  });

  it("take arguments that nest 48 levels deep", () => {
    expect(normal({ toolCalls: [call("1", nested(48))] })).toStrictEqual({
      ...bare,
      toolCalls: [call("1", nested(48))],
    });
  });

  it("are malformed where the provider says so, by the id that it gave, and not executed", () => {
    const toolCalls = [call(1, { a: 1 }), call("2", { b: 1 }), call(`x${half}`)];
    const malformedArguments = [
      { toolCallId: "1", text: "{" },
      { toolCallId: `x${half}`, text: "[" },
      { toolCallId: "3", text: "(" },
    ];
    const result = normal({ toolCalls, malformedArguments });

    const own = result.toolCalls[2]?.id;
    expect(own).not.toBe(`x${half}`);
    expect(result).toStrictEqual({
      ...bare,
      toolCalls: [call("1"), call("2", { b: 1 }), call(own)],
      malformedArguments: [
        { toolCallId: "1", text: "{" },
        { toolCallId: own, text: "[" },
      ],
    });
  });
});

it.each([
  ["c1", "c1"],
  ["", ""],
  [0, "0"],
  [12, "12"],
  [true, ""],
  [null, ""],
  [undefined, ""],
  [{ id: 1 }, ""],
])("readCallId reads %j as %j", (given, id) => {
  expect(readCallId(given)).toBe(id);
});

it.each<[id: string, isSound: boolean]>([
  ["a", true],
  ["", false],
  ["x".repeat(16_384), true],
  ["x".repeat(16_385), false],
  [`a${half}`, false],
  ["😀", true],
])("isSoundCallId takes an id that every storage takes", (id, isSound) => {
  expect(isSoundCallId(id)).toBe(isSound);
});

it.each([
  ["look", "look"],
  ["", "(unnamed)"],
  [undefined, "(unnamed)"],
  [["look"], "(unnamed)"],
  [3, "3"],
  [0, "0"],
  [`a${half}`, "a\ufffd"],
  ["x".repeat(128), "x".repeat(128)],
  ["x".repeat(129), "x".repeat(128)],
  [`${"x".repeat(127)}😀`, "x".repeat(127)],
])("soundToolName makes a name of whatever a model writes: %.20j", (given, name) => {
  expect(soundToolName(given)).toBe(name);
});
