import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutToBytes } from "./cut-content.ts";

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
