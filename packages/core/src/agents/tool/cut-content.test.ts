import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { ContentPart } from "../../base/message/content.ts";
import { cutToBytes, cutToolParts, cutToolText } from "./cut-content.ts";

describe("cutToBytes", () => {
  it("leaves a text that fits as it is", () => {
    expect(cutToBytes("", 1)).toEqual({ text: "", cut: 0 });
    expect(cutToBytes("abc", 3)).toEqual({ text: "abc", cut: 0 });
    expect(cutToBytes("ä€😀", 9)).toEqual({ text: "ä€😀", cut: 0 });
  });

  it("cuts between characters", () => {
    expect(cutToBytes("abcd", 3)).toEqual({ text: "abc", cut: 1 });
    expect(cutToBytes("ä€😀", 8)).toEqual({ text: "ä€", cut: 2 });
    expect(cutToBytes("😀😀", 3)).toEqual({ text: "", cut: 4 });
  });

  it("makes the text well-formed", () => {
    expect(cutToBytes("a\uD800", 100).text).toBe("a\uFFFD");
    expect(cutToBytes("\uDC00abc", 4)).toEqual({ text: "\uFFFDa", cut: 2 });
  });

  it("gives the longest beginning that fits", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "ä", "€", "😀", "\uD800", "\uDC00"), maxLength: 40 }),
        fc.integer({ min: 1, max: 60 }),
        (text, maxBytes) => {
          const { text: kept, cut } = cutToBytes(text, maxBytes);
          const whole = text.toWellFormed();
          const next = String.fromCodePoint(whole.codePointAt(text.length - cut) ?? 0);

          expect(whole.startsWith(kept)).toBe(true);
          expect(kept.length + cut).toBe(text.length);
          expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(maxBytes);
          expect(cut === 0 || Buffer.byteLength(kept + next) > maxBytes).toBe(true);
        },
      ),
    );
  });
});

/** Returns the content that fits into this number of bytes, and the number of calls of `onCut`. */
function within<Content>(maxBytes: number, cut: (limit: { maxBytes: number; onCut: () => void }) => Content) {
  const onCut = vi.fn<() => void>();
  return { kept: cut({ maxBytes, onCut }), cuts: onCut.mock.calls.length };
}

describe("cutToolText", () => {
  it.each<[text: string, maxBytes: number, kept: string, cuts: number]>([
    ["", 1, "", 0],
    ["äb", 3, "äb", 0],
    ["äbc", 3, "äb\n[cut here: 1 of 3 characters were left out]", 1],
    ["😀😀", 7, "😀\n[cut here: 2 of 4 characters were left out]", 1],
    ["a\ud83d", 4, "a\ufffd", 0],
  ])("cuts to bytes, and says so to the model: %j to %i", (...[text, maxBytes, kept, cuts]) => {
    expect(within(maxBytes, (limit) => cutToolText(text, limit))).toEqual({ kept, cuts });
  });
});

describe("cutToolParts", () => {
  const text = (of: string): ContentPart => ({ type: "text", text: of });
  const image = (data: string): ContentPart => ({ type: "image", data, mimeType: "image/png" });
  const leftOut = (what: string, size: number, maxBytes: number) =>
    text(`[${what}: left out, because its ${size} bytes exceed the maxOutputBytes of the tool, ${maxBytes}]`);
  const none = (of: number) => `\n[cut here: ${of} of ${of} characters were left out]`;

  it.each<[what: string, parts: ContentPart[], kept: ContentPart[], cuts: number]>([
    ["all that fit", [text("ab"), image("cd"), text("ef")], [text("ab"), image("cd"), text("ef")], 0],
    ["nothing", [], [], 0],
    ["empty text where no room is left", [text("abcdef"), text("")], [text("abcdef"), text("")], 0],
    [
      "no text after one that is too long",
      [text("abcdefgh"), text("i")],
      [text(`abcdef${none(2).replace("2 of 2", "2 of 8")}`), text(none(1))],
      2,
    ],
    [
      "a small part after one that is too large",
      [image("abcdefg"), text("ab"), image("cdef")],
      [leftOut("image, image/png", 7, 6), text("ab"), image("cdef")],
      1,
    ],
    [
      "no part without room",
      [text("abc"), image("defg"), image("hij")],
      [text("abc"), leftOut("image, image/png", 4, 6), image("hij")],
      1,
    ],
    [
      "a part whose kind alone is known",
      [{ type: "file", data: "abcdefg" } as ContentPart],
      [leftOut("file", 7, 6)],
      1,
    ],
    ["sizes in bytes", [text("äöü"), image("a")], [text("äöü"), leftOut("image, image/png", 1, 6)], 1],
  ])("keeps %s", (...[, parts, kept, cuts]) => {
    const before = structuredClone(parts);

    expect(within(6, (limit) => cutToolParts(parts, limit))).toStrictEqual({ kept, cuts });
    expect(parts).toStrictEqual(before);
  });

  it.each([
    [100, 0],
    [101, 1],
    [250, 150],
  ])("keeps a hundred parts of %i, and says how many more there were", (count, more) => {
    const parts = Array.from({ length: count }, (_, index) => text(String(index)));
    const { kept, cuts } = within(10_000, (limit) => cutToolParts(parts, limit));

    expect(kept.slice(0, 100)).toEqual(parts.slice(0, 100));
    expect(kept.slice(100)).toEqual(more === 0 ? [] : [text(`[${more} more parts were left out]`)]);
    expect(cuts).toBe(more === 0 ? 0 : 1);
  });
});
