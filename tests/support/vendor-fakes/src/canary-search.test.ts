import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CanarySearch } from "./canary-search.ts";

const canary = fc.string({ minLength: 8, maxLength: 40, unit: "binary" }).filter((text) => text.isWellFormed());
const around = fc.string({ unit: "grapheme-ascii", maxLength: 30 });

const forms: Record<string, (canary: string, before: string, after: string) => string> = {
  plain: (text, before, after) => before + text + after,
  "URL-encoded": (text, before, after) => before + encodeURIComponent(text) + after,
  "percent-encoded throughout": (text) => Buffer.from(text).toString("hex").replace(/../g, "%$&"),
  JSON: (text, before, after) => JSON.stringify({ [before]: after, key: text }),
  "JSON in ASCII": (text) => Buffer.from(text, "utf16le").swap16().toString("hex").replace(/..../g, "\\u$&"),
  base64: (text, before, after) => Buffer.from(before + text + after).toString("base64"),
  base64url: (text, before, after) => Buffer.from(before + text + after).toString("base64url"),
};

describe("CanarySearch", () => {
  it.each(Object.entries(forms))("finds any canary anywhere in %s", (_name, write) => {
    fc.assert(
      fc.property(canary, around, around, (secret, before, after) => {
        expect(new CanarySearch([secret]).in(write(secret, before, after))).toHaveLength(1);
      }),
    );
  });

  it("finds nothing in text that only looks similar", () => {
    const search = new CanarySearch(["sk-canary-1234567890"]);

    expect(search.in("sk-canary-123456789 and sk-canary-***")).toEqual([]);
    expect(search.in(Buffer.from("sk-canary-123456789").toString("base64"))).toEqual([]);
    expect(search.in("%zz \\u12 %e0%a4%a")).toEqual([]);
  });
});
