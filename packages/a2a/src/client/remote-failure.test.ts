import { TroupeError } from "@troupe/core";
import type { ErrorFields } from "@troupe/core";
import { describe, expect, it } from "vitest";
import {
  badForm,
  failureOfError,
  failureOfStatus,
  RemoteFailure,
  toRemoteError,
  toRemoteFailure,
} from "./remote-failure.ts";

const ofReason = (...reasons: readonly unknown[]) => ({ code: 400, details: reasons.map((reason) => ({ reason })) });

describe("an error of a remote agent", () => {
  it.each<[string, unknown, number]>([
    ["JSON-RPC", { code: -32601 }, -32601],
    ["a server of its own", { code: -1 }, -1],
    ["HTTP+JSON with a reason", ofReason("TASK_NOT_FOUND"), -32001],
    ["HTTP+JSON with a second reason", ofReason("OTHER", "VERSION_NOT_SUPPORTED"), -32009],
    ["both, with the reason", { ...ofReason("TASK_NOT_CANCELABLE"), code: -32603 }, -32002],
    ["reasons that are names of objects", { ...ofReason("constructor", "__proto__"), code: -32603 }, -32603],
  ])("of %s has its code", (_title, error, rpcCode) => {
    const failure = failureOfError(error, 400);

    expect(failure).toMatchObject({
      kind: "rpc",
      rpcCode,
      status: 400,
      happened: `refused the call (error ${rpcCode})`,
    });
  });

  it("has a code for each reason of HTTP+JSON", () => {
    const reasons = [
      "TASK_NOT_FOUND",
      "TASK_NOT_CANCELABLE",
      "PUSH_NOTIFICATION_NOT_SUPPORTED",
      "UNSUPPORTED_OPERATION",
      "CONTENT_TYPE_NOT_SUPPORTED",
      "INVALID_AGENT_RESPONSE",
      "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
      "EXTENSION_SUPPORT_REQUIRED",
      "VERSION_NOT_SUPPORTED",
    ];
    expect(reasons.map((reason) => failureOfError(ofReason(reason), 400).rpcCode)).toEqual([
      -32001, -32002, -32003, -32004, -32005, -32006, -32007, -32008, -32009,
    ]);
  });

  it.each<[unknown, number | undefined, number]>([
    [{ code: 404 }, undefined, 404],
    [{ code: 404 }, 500, 500],
    [{ code: 399 }, undefined, 500],
    [{ code: 400 }, undefined, 400],
    [{ code: 599 }, undefined, 599],
    [{ code: 600 }, undefined, 500],
    [{ code: 0 }, undefined, 500],
    [{ code: -1.5 }, undefined, 500],
    [{ code: "-32601" }, undefined, 500],
    [ofReason("constructor"), undefined, 400],
    [ofReason("toString"), 418, 418],
    [{ code: 404, details: { reason: "TASK_NOT_FOUND" } }, undefined, 404],
    [null, undefined, 500],
    ["no", 503, 503],
  ])("%j with the HTTP status %s is one of the status %i", (error, status, expected) => {
    expect(failureOfError(error, status)).toMatchObject({ kind: "status", status: expected, rpcCode: undefined });
  });

  it("keeps its words for the developer, up to 1000 characters", () => {
    expect(failureOfError({ code: -1, message: "No." }).message).toBe("No.");
    expect(failureOfError({ code: 404, message: "No." }).message).toBe("No.");
    expect(failureOfError({ code: -1, message: "x".repeat(1001) }).message).toBe("x".repeat(1000));
    for (const message of ["", 7, null])
      expect(failureOfError({ code: -1, message }).message).toBe("refused the call (error -1)");
  });
});

describe("an HTTP status of a remote agent", () => {
  it.each<[number, Record<string, string>, string]>([
    [401, {}, "refused the credentials (HTTP status 401). Check headers"],
    [
      401,
      { "www-authenticate": "Bearer" },
      "refused the credentials (HTTP status 401, and asks for Bearer). Check headers",
    ],
    [
      403,
      { "www-authenticate": 'My-Own realm="a secret"' },
      "refused the credentials (HTTP status 403, and asks for My-Own). Check headers",
    ],
    [401, { "www-authenticate": "<script>" }, "refused the credentials (HTTP status 401). Check headers"],
    [
      401,
      { "www-authenticate": `B${"x".repeat(40)}` },
      `refused the credentials (HTTP status 401, and asks for B${"x".repeat(31)}). Check headers`,
    ],
    [429, {}, "gets too many requests"],
    [404, {}, "answered with the HTTP status 404"],
    [500, { "www-authenticate": "Bearer" }, "answered with the HTTP status 500"],
  ])("%i with the headers %j %s", (status, headers, happened) => {
    const failure = failureOfStatus(status, new Headers(headers));

    expect(failure).toMatchObject({ kind: "status", status, retryAfterMs: undefined });
    expect(failure.happened).toBe(happened);
    expect(failureOfStatus(status)).toMatchObject({ kind: "status", status });
  });

  it("has the time after which to try again", () => {
    expect(failureOfStatus(429, new Headers({ "retry-after": "7" })).retryAfterMs).toBe(7000);
  });
});

describe("RemoteFailure", () => {
  it.each<
    [ConstructorParameters<typeof RemoteFailure>[0], number | undefined, [isDropped: boolean, isUnknown: boolean]]
  >([
    ["unreachable", undefined, [true, false]],
    ["timeout", undefined, [true, false]],
    ["form", undefined, [false, false]],
    ["redirect", 302, [false, false]],
    ["untrusted", undefined, [false, false]],
    ["form", 500, [false, false]],
    ["status", 429, [true, false]],
    ["status", 499, [false, false]],
    ["status", 500, [true, false]],
    ["status", 599, [true, false]],
    ["status", 501, [true, true]],
    ["status", 404, [false, true]],
    ["status", 405, [false, true]],
    ["status", 400, [false, false]],
    ["status", 401, [false, false]],
    ["status", undefined, [false, false]],
    ["rpc", 503, [false, false]],
    ["rpc", 404, [false, false]],
  ])("%s %s is dropped, and of an unknown method: %j", (kind, status, expected) => {
    const failure = new RemoteFailure(kind, { happened: "failed", status });

    expect([failure.isDropped, failure.isUnknownMethod]).toEqual(expected);
  });

  it.each([
    [-32601, true],
    [-32009, true],
    [-32600, false],
    [-32602, false],
    [-32001, false],
  ])("RemoteFailure of the code %i is of an unknown method: %s", (rpcCode, expected) => {
    expect(new RemoteFailure("rpc", { happened: "failed", rpcCode }).isUnknownMethod).toBe(expected);
  });
});

describe("a failure of an exchange", () => {
  const network = (code: "timeout" | "unavailable" | "cancelled", fields: ErrorFields = {}) =>
    new TroupeError(code, "secret words", { fields });

  it.each<[unknown, string, string]>([
    [network("timeout"), "timeout", "did not answer in time"],
    [network("unavailable"), "unreachable", "cannot be reached, or the connection broke off"],
    [network("unavailable", { status: 299 }), "unreachable", "cannot be reached, or the connection broke off"],
    [
      network("unavailable", { status: 300 }),
      "redirect",
      "answered with a redirect (HTTP status 300), which is not followed. Set url to the address that it leads to",
    ],
    [
      network("unavailable", { status: 399 }),
      "redirect",
      "answered with a redirect (HTTP status 399), which is not followed. Set url to the address that it leads to",
    ],
    [network("unavailable", { status: 400 }), "unreachable", "cannot be reached, or the connection broke off"],
    [{ happened: "ended the stream too early" }, "unreachable", "ended the stream too early"],
    [{ happened: "sent too much" }, "form", "sent too much"],
  ])("%o is %s", (thrown, kind, happened) => {
    const failure = toRemoteFailure(thrown);

    expect(failure).toMatchObject({ kind });
    expect((failure as RemoteFailure).happened).toBe(happened);
  });

  it("stays what it is where nothing is known of it", () => {
    const failure = badForm("sent nothing");
    for (const thrown of [failure, network("cancelled"), new Error("x"), "x", undefined, { happened: 7 }])
      expect(toRemoteFailure(thrown)).toBe(thrown);
    expect(toRemoteError("x", "a")).toBe("x");
  });

  it.each<[RemoteFailure, string, object]>([
    [new RemoteFailure("timeout", { happened: "h", status: 429 }), "timeout", { status: 429 }],
    [new RemoteFailure("rpc", { happened: "h", rpcCode: -32602 }), "invalid_request", { rpcCode: -32602 }],
    [new RemoteFailure("rpc", { happened: "h", rpcCode: -32005 }), "invalid_request", { rpcCode: -32005 }],
    [
      new RemoteFailure("rpc", { happened: "h", rpcCode: -32603, status: 429 }),
      "model_failed",
      { rpcCode: -32603, status: 429 },
    ],
    [
      new RemoteFailure("status", { happened: "h", status: 429, retryAfterMs: 0 }),
      "rate_limited",
      { status: 429, retryAfterMs: 0 },
    ],
    [new RemoteFailure("status", { happened: "h", status: 500 }), "model_failed", { status: 500 }],
    [badForm("h"), "model_failed", {}],
    [new RemoteFailure("unreachable", { happened: "h", remoteText: "secret" }), "model_failed", {}],
  ])("is told in the words of a run: %o as %s", (failure, code, fields) => {
    const error = toRemoteError(failure, 'a"b') as TroupeError;

    expect(error).toMatchObject({ code, message: 'The remote agent "a\\"b" h.', cause: failure });
    expect(error.fields).toEqual({ remote: 'a"b', ...fields });
  });
});
