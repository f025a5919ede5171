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

  it.each(["", "-1", "5 apples", "Infinity", "NaN", "0x10", "1e3", "someday GMT"])("makes nothing of %j", (text) => {
    expect(read({ "retry-after": text })).toBeUndefined();
  });

  it("asks for nothing when there is no such header", () => {
    expect(read({})).toBeUndefined();
  });

  it("gives a wait or nothing for any text", () => {
    assert(
      property(string(), (text) => {
        const waitMs = readRetryAfter({ get: () => text }, now);
        expect(waitMs === undefined || waitMs >= 0).toBe(true);
      }),
    );
  });
});
