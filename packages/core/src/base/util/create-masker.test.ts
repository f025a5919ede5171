import { array, assert, constantFrom, nat, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { createMasker } from "./create-masker.ts";

const value = 'sk+"quoted"/\\~end(1)';

describe("createMasker", () => {
  it.each([
    ["as it is", value],
    ["percent-encoded", encodeURIComponent(value)],
    ["percent-encoded in lower case", encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase())],
    ["in a form", new URLSearchParams({ key: value }).toString()],
    ["in JSON", JSON.stringify({ key: value })],
  ])("hides a value %s", (_how, text) => {
    const masked = createMasker([value])(`before ${text} and again ${text} after`);

    expect(masked).not.toContain("quoted");
    expect(masked.split("[redacted]")).toHaveLength(3);
  });

  it("hides the whole of the longer value when two begin alike", () => {
    expect(createMasker(["abcd", "abcdefgh"])("abcdefgh abcd")).toBe("[redacted] [redacted]");
  });

  it("does not hide values that are too short to be secrets", () => {
    expect(createMasker(["", "a", "abc"])("a abc")).toBe("a abc");
  });

  it("cuts a long string, and marks the cut", () => {
    expect(createMasker([])("0123456789", 4)).toBe("0123…");
    expect(createMasker(["secret"])("0123secret", 4)).toBe("0123…");
    expect(createMasker(["secret"])("0123secret", 6)).toBe("0123[redacted]…");
    expect(createMasker(["secret"])("0123", 4)).toBe("0123");
  });

  it("shows at any cut a prefix of the uncut result", () => {
    const pieces = constantFrom("QRSTUVWXYZ", "UVWX", "QRST", "-", "words");

    assert(
      property(array(pieces, { maxLength: 12 }), nat(60), (parts, maxLength) => {
        const masker = createMasker(["QRSTUVWXYZ", "UVWX"]);
        const cut = masker(parts.join(""), maxLength).replace(/…$/, "");

        expect(masker(parts.join("")).startsWith(cut)).toBe(true);
      }),
    );
  });
});
