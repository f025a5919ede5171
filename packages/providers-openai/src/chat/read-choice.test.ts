import { TruncatedResponseError, VendorError } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { contentText, readChoice, usageIn } from "./read-choice.ts";

const [first, second] = [
  { index: 0, delta: { content: "A" } },
  { index: 1, delta: { content: "B" } },
];
const unnumbered = { delta: { content: "C" } };

describe("readChoice", () => {
  it.each<[string, unknown, unknown]>([
    ["the only one", [first], first],
    ["the first of two", [first, second], first],
    ["the first, whatever comes before", [second, first], first],
    ["one without a number", [unnumbered, second], unnumbered],
    ["null for a number", [{ index: null }], { index: null }],
    ["none where only others are", [second], undefined],
    ["no object", [null, "x", first], first],
    ["none", [], undefined],
    ["no list", { 0: first }, undefined],
    ["nothing", undefined, undefined],
  ])("takes %s", (_, choices, expected) => {
    expect(readChoice({ choices })).toEqual(expected);
  });

  it.each<[string, object, object]>([
    ["beside the choices", { error: { message: "No.", code: 429 }, choices: [first] }, { message: "No.", status: 429 }],
    ["in the choice", { choices: [{ error: { message: "No.", code: 502 } }] }, { message: "No.", status: 502 }],
    ["in place of the answer", { object: "error", message: "No.", code: 400 }, { message: "No.", status: 500 }],
    ["as a text", { error: "No." }, { message: "No.", status: 500 }],
  ])("throws the error %s", (_, completion, expected) => {
    expect(() => readChoice(completion)).toThrow(VendorError);
    expect(() => readChoice(completion)).toThrow(expect.objectContaining(expected));
  });

  it("takes null for no error, and the reason error for an answer that was cut off", () => {
    expect(readChoice({ error: null, choices: [{ error: null }] })).toEqual({ error: null });
    expect(() => readChoice({ choices: [{ finish_reason: "error" }] })).toThrow(TruncatedResponseError);
  });
});

describe("usageIn", () => {
  it.each<[object, unknown]>([
    [{ usage: { a: 1 }, x_groq: { usage: { b: 1 } } }, { a: 1 }],
    [{ usage: null, x_groq: { usage: { b: 1 } } }, { b: 1 }],
    [{ usage: null, x_groq: { usage: null } }, undefined],
    [{ usage: null, x_groq: null }, undefined],
    [{}, undefined],
  ])("finds in %j", (completion, expected) => {
    expect(usageIn(completion)).toEqual(expected);
  });
});

describe("contentText", () => {
  it.each<[unknown, string]>([
    ["A", "A"],
    [[{ type: "text", text: "A" }, { type: "image", text: "no" }, { type: "text", text: "B" }, null], "AB"],
    [[{ type: "text", text: 7 }], ""],
    [[{ text: "A" }], ""],
    [{ type: "text", text: "A" }, ""],
    [null, ""],
    [undefined, ""],
  ])("reads %j as %j", (content, text) => {
    expect(contentText(content)).toBe(text);
  });
});
