import { describe, expect, it } from "vitest";
import { toVendorError } from "./errors.ts";

const silent = "The vendor sent an error without a message.";

describe("toVendorError", () => {
  it.each([
    ["INVALID_ARGUMENT", 400],
    ["FAILED_PRECONDITION", 400],
    ["UNAUTHENTICATED", 401],
    ["PERMISSION_DENIED", 403],
    ["NOT_FOUND", 404],
    ["RESOURCE_EXHAUSTED", 429],
    ["UNAVAILABLE", 503],
    ["DEADLINE_EXCEEDED", 504],
    ["INTERNAL", 500],
    ["constructor", 500],
    ["__proto__", 500],
  ])("gives %s the status %i", (status, expected) => {
    const { name: _, ...facts } = toVendorError({ error: { status, message: "No." } });

    expect(facts).toEqual({
      status: expected,
      hasStatus: true,
      vendorCode: status,
      retryAfterMs: undefined,
      contextLimit: undefined,
    });
  });

  it.each<[unknown, number]>([
    [400, 400],
    [599, 599],
    [399, 429],
    [600, 429],
    ["503", 429],
    [Number.NaN, 429],
  ])("takes the code %j before the name of the status", (code, status) => {
    expect(toVendorError({ error: { code, status: "RESOURCE_EXHAUSTED" } }).status).toBe(status);
  });

  it.each<[string, unknown, string]>([
    ["an error field", { error: { message: "A" }, message: "B" }, "A"],
    ["the top", { message: "B" }, "B"],
    ["an array", [{ error: { message: "C" } }, { error: { message: "D" } }], "C"],
    ["a text for an error", { error: "E" }, "E"],
    ["a page", "<html>", "<html>"],
    ["no text", { error: { message: 7 } }, silent],
    ["an empty array", [], silent],
    ["null", null, silent],
  ])("takes the message from %s", (_, body, message) => {
    expect(toVendorError(body).message).toBe(message);
  });

  const keyFault = [{ "@type": "x" }, { reason: 7 }, { reason: "API_KEY_INVALID" }];

  it.each<[string, object, object | undefined, object]>([
    [
      "told by its details",
      { code: 400, status: "INVALID_ARGUMENT", details: keyFault },
      undefined,
      { status: 401, vendorCode: "API_KEY_INVALID" },
    ],
    [
      "with another status",
      { code: 403, details: keyFault },
      undefined,
      { status: 403, vendorCode: "API_KEY_INVALID" },
    ],
    ["with the status of the reply", { code: 403, details: keyFault }, { status: 400 }, { status: 401 }],
    [
      "and no other reason",
      { code: 400, status: "X", details: [{ reason: "SOME_API_KEY_" }] },
      undefined,
      { status: 400, vendorCode: "X" },
    ],
    [
      "and no details in a wrong form",
      { code: 400, status: "X", details: "API_KEY_" },
      undefined,
      { status: 400, vendorCode: "X" },
    ],
  ])("knows a wrong key %s", (_, ...[error, reply, expected]) => {
    const sent = reply && { status: 500, ...reply, headers: new Headers() };

    expect(toVendorError({ error }, sent)).toMatchObject(expected);
  });

  it("takes the status of the reply before that of the error", () => {
    const reply = { status: 502, headers: new Headers() };

    expect(toVendorError({ error: { code: 429 } }, reply)).toMatchObject({ status: 502, retryAfterMs: undefined });
  });

  it.each<[string, string | undefined, number | undefined]>([
    ["34.5s", undefined, 34_500],
    ["2s", undefined, 2000],
    ["2s", "7", 7000],
    ["2", undefined, undefined],
    ["-2s", undefined, undefined],
    ["2sec", undefined, undefined],
  ])("reads the delay %s, with the header %s", (retryDelay, header, expected) => {
    const headers = new Headers(header === undefined ? {} : { "retry-after": header });
    const error = { details: [{ retryDelay: 7 }, { retryDelay }, { retryDelay: "9s" }] };

    expect(toVendorError({ error }, { status: 429, headers }).retryAfterMs).toBe(expected);
  });

  it("reads the delay of an error without a reply", () => {
    expect(toVendorError({ error: { details: [{ retryDelay: "1s" }] } }).retryAfterMs).toBe(1000);
  });
});
