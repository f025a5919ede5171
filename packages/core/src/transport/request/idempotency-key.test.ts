import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import { readIdempotencyKey } from "./idempotency-key.ts";

const requestOf = (headers: IncomingHttpHeaders) => ({ headers });
const refused = (message: string) =>
  expect.objectContaining({ code: "invalid_request", message: expect.stringContaining(message) }) as Error;

describe("readIdempotencyKey", () => {
  it.each([undefined, "!", "~", "k-1", "k".repeat(255)])("takes %j", (key) => {
    expect(readIdempotencyKey(requestOf({ "idempotency-key": key }))).toBe(key);
  });

  it.each([
    [""],
    [" "],
    ["a b"],
    ["a\tb"],
    ["k\n"],
    ["\u007f"],
    ["schlüssel"],
    ["k".repeat(256)],
    [["a", "b"]],
    [["a"]],
  ])("refuses %j", (key) => {
    expect(() => readIdempotencyKey(requestOf({ "idempotency-key": key }))).toThrow(refused("Idempotency-Key"));
  });
});
