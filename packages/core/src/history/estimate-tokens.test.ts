import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContentPart } from "../message/content.ts";
import { estimateTextTokens, estimateTokens } from "./estimate-tokens.ts";

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

describe("estimateTokens", () => {
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
