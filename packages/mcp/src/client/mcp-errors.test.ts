import { TroupeError } from "@troupe/core";
import { createMasker } from "@troupe/core/kit";
import {
  AuthorizationServerMismatchError,
  InsecureTokenEndpointError,
  InsufficientScopeError,
  IssuerMismatchError,
  OAuthClientFlowError,
  OAuthError,
  OAuthErrorCode,
  ProtocolError,
  RegistrationRejectedError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { BadAnswer } from "./ask-server.ts";
import { brokenOffMark, diagnose, isRefusal, isTooLarge, isUnauthorized, toMcpError } from "./mcp-errors.ts";
import { tooLargeMark } from "./slim-message.ts";

const ofStatus = (status: number) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, "secret-word", { status, statusText: "" });
const ofSystem = (code: string) => Object.assign(new Error("secret-word"), { code });
const invalid = new SdkError(SdkErrorCode.InvalidResult, "secret-word");
const unsupported = new SdkError(SdkErrorCode.UnsupportedResultType, "secret-word");
const brokenOff = new ProtocolError(-32_000, "secret-word", brokenOffMark);
const tooLarge = new ProtocolError(-32_000, "secret-word", tooLargeMark);
const refusal = new ProtocolError(-32_602, "No such file, secret-word", { more: 1 });
const timeout = new TroupeError("timeout", "It took too long.");
const gone = new TroupeError("gone", "It is gone.");
const ofOAuth = [
  new OAuthError(OAuthErrorCode.InvalidGrant, "secret-word"),
  new OAuthClientFlowError("secret-word"),
  new InsufficientScopeError({ requiredScope: "secret-word" }),
  new InsecureTokenEndpointError("https://secret-word.example"),
  new IssuerMismatchError("metadata", "secret-word", undefined),
  new AuthorizationServerMismatchError("secret-word", "secret-word"),
  new RegistrationRejectedError({ status: 400, body: "secret-word", submittedMetadata: { redirect_uris: [] } }),
];

const work = { server: 'b"ox', what: "a call of the tool t", mask: createMasker(["secret-word"]) };

function made(error: unknown, problem?: string) {
  const { code, message, fields } = toMcpError(error, { ...work, problem });
  return { code, message, fields };
}

const name = 'The MCP server "b\\"ox"';
const refused = `${name} refused the credentials for a call of the tool t. Check headers or authProvider.`;
const unauthorized = `${name} could not be authorized for a call of the tool t. Check authProvider and the authorization server.`;
const malformed = `${name} answered a call of the tool t in a form that the protocol does not allow`;
const notStarted = `${name} could not be started: its command was not found or may not be run. Check command, PATH and cwd.`;
const lost = `${name} cannot be reached, or the connection broke off during a call of the tool t. The next call connects again.`;
const statusText = (status: number) =>
  `${name} answered a call of the tool t with the HTTP status ${status}. Check its URL, and that it runs.`;

describe("the error of a failed exchange", () => {
  it.each<[string, unknown, string, string, object?]>([
    ["a missing authorization", new UnauthorizedError("secret-word"), "unauthorized", refused],
    ["status 401", ofStatus(401), "unauthorized", refused, { status: 401 }],
    ["status 403", ofStatus(403), "unauthorized", refused, { status: 403 }],
    [
      "status 429",
      ofStatus(429),
      "rate_limited",
      `${name} gets too many requests. Wait before the next call.`,
      { status: 429 },
    ],
    ["status 402", ofStatus(402), "unavailable", statusText(402), { status: 402 }],
    ["status 404", ofStatus(404), "unavailable", statusText(404), { status: 404 }],
    ["status 500", ofStatus(500), "unavailable", statusText(500), { status: 500 }],
    [
      "a status of 2024",
      new SseError(502, "secret-word", undefined as never),
      "unavailable",
      statusText(502),
      { status: 502 },
    ],
    ...ofOAuth.map((error): [string, unknown, string, string] => [error.name, error, "unauthorized", unauthorized]),
    [
      "too large an answer",
      tooLarge,
      "unavailable",
      `${name} answered a call of the tool t with more than such an answer may hold.`,
    ],
    ["a bad answer", new BadAnswer("it has no secret-word"), "unavailable", `${malformed}: it has no [redacted].`],
    [
      "a refusal",
      refusal,
      "invalid_request",
      `${name} refused a call of the tool t: No such file, [redacted]`,
      { rpcCode: -32_602 },
    ],
    [
      "a library that waits no longer",
      new SdkError(SdkErrorCode.RequestTimeout, "secret-word"),
      "timeout",
      `${name} did not answer a call of the tool t in time.`,
    ],
    ["a command that is not found", ofSystem("ENOENT"), "unavailable", notStarted],
    ["a command that may not be run", ofSystem("EACCES"), "unavailable", notStarted],
    ["a reason in its cause", new TypeError("fetch failed", { cause: ofSystem("ENOENT") }), "unavailable", notStarted],
    ["an invalid result", invalid, "unavailable", `${malformed}.`],
    ["an unknown kind of result", unsupported, "unavailable", `${malformed}.`],
    ["a server that is away", ofSystem("ECONNREFUSED"), "unavailable", lost],
    ["a broken connection", brokenOff, "unavailable", lost],
    ["a value that is no error", { code: -32_602, message: "secret-word" }, "unavailable", lost],
    ["undefined", undefined, "unavailable", lost],
  ])("tells %s by its code, a sentence and no word of the server", (...[, error, code, message, fields]) => {
    expect(made(error)).toStrictEqual({ code, message, fields: { server: 'b"ox', ...fields } });
  });

  it("is one of ours as it is", () => {
    expect(toMcpError(timeout, work)).toBe(timeout);
    expect(toMcpError(gone, { ...work, problem: "wrote too much." })).toBe(gone);
  });

  it("repeats 1,000 characters of a refusal or of what is wrong", () => {
    const { message } = made(new ProtocolError(-32_602, "x".repeat(1001)));
    expect(message.endsWith(`: ${"x".repeat(1000)}…`)).toBe(true);
    expect(made(new ProtocolError(-32_602, "y".repeat(1000))).message.endsWith(`: ${"y".repeat(1000)}`)).toBe(true);
    expect(made(new BadAnswer("z".repeat(1001))).message.endsWith(`: ${"z".repeat(1000)}….`)).toBe(true);
  });

  it.each([
    ["a broken connection", brokenOff],
    ["a server that is away", ofSystem("EPIPE")],
    ["a time limit of ours", timeout],
    ["a time limit of the library", new SdkError(SdkErrorCode.RequestTimeout, "secret-word")],
  ])("the error of a failed exchange of %s says why the connection ended, where that is known", (_, error) => {
    expect(made(error, "wrote too much.")).toStrictEqual({
      code: "unavailable",
      message: `${name} wrote too much.`,
      fields: { server: 'b"ox' },
    });
  });

  it.each([
    ["a refusal", refusal],
    ["a bad answer", new BadAnswer("it is empty")],
    ["a status", ofStatus(500)],
    ["a missing authorization", new UnauthorizedError("secret-word")],
  ])("the error of a failed exchange of %s is the same where the connection has a problem as well", (_, error) => {
    expect(made(error, "wrote too much.")).toStrictEqual(made(error));
  });
});

describe("what a failure says about the connection", () => {
  it.each<[string, unknown, string]>([
    ["a refusal", refusal, "answered"],
    ["a missing authorization", new UnauthorizedError("no"), "answered"],
    ...ofOAuth.map((error): [string, unknown, string] => [error.name, error, "answered"]),
    ["our time limit", timeout, "silent"],
    ["another error of ours", gone, "answered"],
    ["a bad answer", new BadAnswer("it is empty"), "answered"],
    ["too large an answer", tooLarge, "answered"],
    ["an invalid result", invalid, "answered"],
    ["an unknown kind of result", unsupported, "lost"],
    ["status 400", ofStatus(400), "no-session"],
    ["status 404", ofStatus(404), "no-session"],
    ["status 405", ofStatus(405), "answered"],
    ["status 499", ofStatus(499), "answered"],
    ["status 500", ofStatus(500), "silent"],
    ["status 503", ofStatus(503), "silent"],
    ["a broken connection", brokenOff, "lost"],
    ["an error of the system", ofSystem("ECONNRESET"), "lost"],
    ["a value that is no error", { code: -32_602 }, "lost"],
  ])("by %s is known", (_, error, diagnosis) => {
    expect(diagnose(error)).toBe(diagnosis);
  });

  it("what a failure says about the connection by its kind is told apart", () => {
    const errors = [refusal, tooLarge, brokenOff, invalid, new UnauthorizedError("no"), { data: tooLargeMark }];
    expect(errors.map((error) => isRefusal(error))).toEqual([true, true, false, false, false, false]);
    expect(errors.map((error) => isTooLarge(error))).toEqual([false, true, false, false, false, false]);
    expect(errors.map((error) => isUnauthorized(error))).toEqual([false, false, false, false, true, false]);
  });
});
