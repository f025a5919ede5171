import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import { prefersAsync, readLastEventId } from "./read-delivery.ts";

const requestOf = (headers: IncomingHttpHeaders) => ({ headers });
describe("prefersAsync", () => {
  it.each([
    [undefined, false],
    ["", false],
    ["respond-async", true],
    ["Respond-Async", true],
    [" respond-async ", true],
    ["respond-async; wait=10", true],
    ["return=minimal, respond-async", true],
    ["respond-async, return=minimal", true],
    ["respond-async-later", false],
    ["x-respond-async", false],
    ["wait=10; respond-async", false],
    ['note="respond-async"', false],
  ])("reads Prefer: %s as %s", (prefer, isAsync) => {
    expect(prefersAsync(requestOf({ prefer }))).toBe(isAsync);
  });
});

describe("readLastEventId", () => {
  it.each([
    [undefined, undefined],
    ["", undefined],
    ["0", "0"],
    ["e1", "e1"],
  ])("reads %j as %j", (id, read) => {
    expect(readLastEventId(requestOf({ "last-event-id": id }))).toBe(read);
  });
});
