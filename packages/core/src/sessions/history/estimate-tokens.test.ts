import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContentPart } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { characterWeight, estimateTextTokens, estimateTokens, heaviestCharacter } from "./estimate-tokens.ts";

/** Strings and their tokens in the vocabulary `o200k_base`. */
const counted: [text: string, tokens: number][] = [
  ["The quick brown fox jumps over the lazy dog. In the beginning the universe was created.", 18],
  ["function add(one, other) { return one + other; }", 13],
  ["人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。", 35],
  ["Широка страна моя родная, много в ней лесов, полей и рек.", 19],
];

describe("estimateTextTokens", () => {
  it.each(counted)("is near the real count for %j", (text, tokens) => {
    expect(estimateTextTokens(text) / tokens).toBeGreaterThan(0.8);
    expect(estimateTextTokens(text) / tokens).toBeLessThan(2);
  });

  it("is 0 for an empty string, and never less for a longer one", () => {
    expect(estimateTextTokens("")).toBe(0);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (text, more) => {
        return estimateTextTokens(text + more) >= estimateTextTokens(text);
      }),
    );
  });
});

describe("characterWeight", () => {
  it.each<[hundredths: number, codes: (string | number)[]]>([
    [18, [0, "\n", " "]],
    [24, ["a", "m", "z"]],
    [50, ["0", "9", "A", "Z"]],
    [65, ["!", "/", ":", "@", "[", "`", "{", 0x7f]],
    [60, [0x80, "é", 0x24f]],
    [50, [0x250, "я", 0x6ff]],
    [100, [0x700, "人", 0xd7ff, 0xe000, 0xffff]],
    [150, [0xd800, 0xdbff, 0xdfff]],
  ])("is %i for %j", (hundredths, codes) => {
    const weights = codes.map((code) => characterWeight(typeof code === "string" ? code.charCodeAt(0) : code));

    expect(weights).toEqual(codes.map(() => hundredths));
    expect(Math.max(...weights)).toBeLessThanOrEqual(heaviestCharacter);
  });

  it("makes tokens that are rounded up over the whole text", () => {
    expect(["aaaa", "aaaaa", "aaaaaaaa", "AA", "😀"].map(estimateTextTokens)).toEqual([1, 2, 2, 1, 3]);
  });
});

describe("estimateTokens", () => {
  const pdf = "application/pdf";
  const part = (type: "image" | "audio" | "file", data: string, mimeType: string) => ({ type, data, mimeType });

  it.each<[message: object, tokens: number]>([
    [{ role: "user", content: "" }, 4],
    [{ role: "user", content: "AA" }, 5],
    [{ role: "assistant", content: null }, 4],
    [
      {
        role: "user",
        content: [
          { type: "text", text: "AA" },
          { type: "text", text: "AAAA" },
        ],
      },
      7,
    ],
    [{ role: "assistant", content: "AA", toolCalls: [{ id: "AAAAAAAA", name: "AAAA", arguments: {} }] }, 19],
    [{ role: "user", content: [part("image", "x", "image/png")] }, 1504],
    [{ role: "user", content: [part("audio", "x", "audio/wav")] }, 2004],
    [{ role: "user", content: [part("file", "x", pdf)] }, 4004],
    [{ role: "user", content: [part("file", "AAAAA", "text/plain")] }, 6],
    [{ role: "user", content: [part("file", "AAAAA", "application/ld+json")] }, 6],
    [{ role: "user", content: [part("file", "AAAAA", "application/jsonl")] }, 4004],
    [{ role: "user", content: [part("file", "HTTP://a.example", "text/plain")] }, 4004],
    [{ role: "assistant", content: "A".repeat(99), vendorState: { stored: true, items: "123" } }, 6],
    [{ role: "assistant", content: "AA", vendorState: { items: "x".repeat(99) } }, 5],
  ])("weighs %j", (message, tokens) => {
    expect(estimateTokens([message as ChatMessage])).toBe(tokens);
  });

  it("is the sum over the messages", () => {
    const one = { role: "user" as const, content: "hello there" };
    const other = {
      role: "assistant" as const,
      content: null,
      toolCalls: [{ id: "1", name: "f", arguments: { a: "x" } }],
    };

    expect(estimateTokens([one, other])).toBe(estimateTokens([one]) + estimateTokens([other]));
    expect(estimateTokens([])).toBe(0);
  });

  it("counts the arguments of a call", () => {
    const call = (text: string) => [
      { role: "assistant" as const, content: null, toolCalls: [{ id: "1", name: "f", arguments: { text } }] },
    ];

    expect(estimateTokens(call("word ".repeat(100))) - estimateTokens(call(""))).toBeGreaterThan(100);
  });

  const fixed: ContentPart["type"][] = ["image", "audio", "file"];
  it.each(fixed)("has one price for every %s part, whatever its data is", (type) => {
    const price = (data: string) =>
      estimateTokens([{ role: "user", content: [{ type, data, mimeType: "application/pdf" } as ContentPart] }]);

    expect(price(`data:application/pdf;base64,${"A".repeat(1_000_000)}`)).toBe(price("https://example.org/x"));
  });

  it("counts a text file by its size", () => {
    const price = (mimeType: string, data: string) =>
      estimateTokens([{ role: "user", content: [{ type: "file", data, mimeType }] }]);

    expect(price("text/csv", "A".repeat(400_000))).toBeGreaterThan(90_000);
    expect(price("application/json", "A".repeat(400_000))).toBeGreaterThan(90_000);
    expect(price("text/csv", "https://example.org/x.csv")).toBeLessThan(5_000);
  });
});
