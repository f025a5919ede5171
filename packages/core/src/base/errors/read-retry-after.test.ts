import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { readRetryAfter } from "./read-retry-after.ts";

const now = Date.parse("2026-11-20T12:00:00Z");
const read = (headers: Record<string, string>) => readRetryAfter(new Headers(headers), now);

describe("readRetryAfter", () => {
  it.each([
    [{ "retry-after": "2" }, 2000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after-ms": "250" }, 250],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{ "retry-after-ms": "soon", "retry-after": "9" }, 9000],
    [{ "retry-after": "Fri, 20 Nov 2026 12:00:07 GMT" }, 7000],
    [{ "retry-after": "Fri, 20 Nov 2026 11:00:00 GMT" }, 0],
  ])("reads %o as %d ms", (headers, waitMs) => {
    expect(read(headers)).toBe(waitMs);
  });

  it.each(["", "-1", "5 apples", "Infinity", "NaN", "0x10", "1e3", "someday GMT"])(
    "returns undefined for %j",
    (text) => {
      expect(read({ "retry-after": text })).toBeUndefined();
    },
  );

  it("returns undefined without either header", () => {
    expect(read({})).toBeUndefined();
  });

  it("returns a wait of 0 or more, or undefined, for any string", () => {
    assert(
      property(string(), (text) => {
        const waitMs = readRetryAfter({ get: () => text }, now);
        expect(waitMs === undefined || waitMs >= 0).toBe(true);
      }),
    );
  });
});
