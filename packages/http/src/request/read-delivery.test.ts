import type { Request } from "express";
import { describe, expect, it } from "vitest";
import { prefersAsync, readIdempotencyKey, readLastEventId, readRunQuery } from "./read-delivery.ts";

const requestOf = (headers: object, url = "/"): Request => ({ headers, url }) as Request;
const refused = (message: string) =>
  expect.objectContaining({ code: "invalid_request", message: expect.stringContaining(message) }) as Error;

describe("readRunQuery", () => {
  it.each([
    ["", false, false],
    ["?", false, false],
    ["?early=1", true, false],
    ["?early=0", false, false],
    ["?onDisconnect=cancel", false, true],
    ["?onDisconnect=cancel&early=1", true, true],
    ["?other=1&early=1", true, false],
    ["?Early=1&ondisconnect=cancel", false, false],
    ["?%65arly=1", true, false],
  ])("reads %j", (query, early, endsWithClient) => {
    expect(readRunQuery(requestOf({}, `/agents/a/run${query}`))).toEqual({ early, endsWithClient });
  });

  it.each([
    ["early", ""],
    ["early", "true"],
    ["early", "2"],
    ["early", "01"],
    ["early", "1&early=1"],
    ["early", "0&early=1"],
    ["onDisconnect", ""],
    ["onDisconnect", "continue"],
    ["onDisconnect", "Cancel"],
    ["onDisconnect", "cancel&onDisconnect=cancel"],
  ])("refuses %s=%s", (name, value) => {
    expect(() => readRunQuery(requestOf({}, `/a?${name}=${value}`))).toThrow(refused(`${name} must be`));
  });
});

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
