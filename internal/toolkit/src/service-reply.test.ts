import { describe, expect, it } from "vitest";
import { explainAddress, explainKeyless } from "./index.ts";
import { problemOfStatus, serviceError } from "./service-error.ts";
import { ServiceReply } from "./service-reply.ts";

type Parts = { status?: number; text?: string; headers?: Record<string, string>; lostAnswerAdvice?: string };

function replyOf({ status = 200, text = "", headers = {}, lostAnswerAdvice }: Parts = {}): ServiceReply {
  return new ServiceReply({ service: "Post", status, headers: new Headers(headers), text, lostAnswerAdvice });
}

describe("a reply", () => {
  it.each([200, 204, 299])("is right with status %i", (status) => {
    const reply = replyOf({ status });

    expect(reply.requireOk(() => ({ problem: "blocked" }))).toBe(reply);
  });

  it.each([
    [199, "unreadable", "unavailable"],
    [300, "unreadable", "unavailable"],
    [400, "refused", "invalid_request"],
    [401, "credential_refused", "unauthorized"],
    [402, "quota_exceeded", "rate_limited"],
    [403, "forbidden", "forbidden"],
    [404, "not_found", "not_found"],
    [408, "unavailable", "unavailable"],
    [410, "not_found", "not_found"],
    [429, "rate_limited", "rate_limited"],
    [499, "refused", "invalid_request"],
    [500, "unavailable", "unavailable"],
  ])("fails with status %i as %s", (status, problem, code) => {
    expect(problemOfStatus(status)).toBe(problem);
    expect(() => replyOf({ status }).requireOk()).toThrow(
      expect.objectContaining({ code, fields: { service: "Post", problem, status } }),
    );
  });

  it("fails as its toolkit knows better, with the status of the reply", () => {
    const seen: unknown[] = [];
    const reply = replyOf({ status: 400 });
    const failing = () =>
      reply.requireOk((given) => {
        seen.push(given);
        return { problem: "blocked", happened: "is shut", advice: "Go." };
      });

    expect(failing).toThrow(
      expect.objectContaining({
        code: "forbidden",
        message: "Post is shut (status 400). Go.",
        fields: { service: "Post", problem: "blocked", status: 400 },
      }),
    );
    expect(seen).toEqual([reply]);
    expect(() => reply.requireOk(() => undefined)).toThrow("Post refused the request (status 400).");
  });

  it.each<[object, object, unknown]>([
    [{ "retry-after": "3" }, { problem: "rate_limited" }, 3000],
    [{ "retry-after": "soon" }, { problem: "rate_limited" }, undefined],
    [{ "retry-after": "3" }, { problem: "quota_exceeded" }, undefined],
    [{ "retry-after": "3" }, { problem: "rate_limited", retryAfterMs: 9 }, 9],
    [{ "retry-after": "9".repeat(400) }, { problem: "rate_limited" }, undefined],
  ])("tells with %j and %j to wait %j", (headers, failure, expected) => {
    const reply = replyOf({ status: 429, headers: headers as Record<string, string> });
    const error = reply.toError(failure as Parameters<ServiceReply["toError"]>[0]) as { fields?: object };

    expect(error.fields).toHaveProperty("status", 429);
    expect((error.fields as { retryAfterMs?: number }).retryAfterMs).toBe(expected);
  });

  it.each([400, 407, 409, 499])("a reply of status %i to a request with an effect is a plain failure", (status) => {
    const reply = replyOf({ status, lostAnswerAdvice: "Look." });

    expect(() => reply.requireOk()).toThrow(
      expect.objectContaining({ fields: { service: "Post", problem: "refused", status } }),
    );
  });

  it.each<[string, (reply: ServiceReply) => unknown, Parts]>([
    ["of status 500", (reply) => reply.requireOk(), { status: 500 }],
    ["of status 408", (reply) => reply.requireOk(), { status: 408 }],
    ["that is no JSON", (reply) => reply.json(), { text: "{" }],
    ["of an unknown form", (reply) => reply.unexpected(), { text: "[]" }],
  ])("%s leaves open if a request had its effect", (_, act, parts) => {
    expect(() => act(replyOf({ ...parts, lostAnswerAdvice: "Look." }))).toThrow(
      expect.objectContaining({ fields: { service: "Post", problem: "outcome_unknown" } }),
    );
  });
});

describe("the JSON of a reply", () => {
  it.each([
    ["null", null],
    ["[1]", [1]],
    ["0", 0],
  ])("may be %s", (text, value) => {
    expect([replyOf({ text }).json(), replyOf({ text }).tryJson()]).toEqual([value, value]);
  });

  it.each<[string, Parts, string]>([
    ["nothing", { text: " \n" }, "Post sent an empty answer (status 200). Try again later."],
    ["damaged", { text: '{"a' }, "Post sent an answer that is cut or not JSON (status 200). Try again later."],
    ["a page", { text: " <p>" }, "Post answered with a web page where JSON was expected (status 200). A proxy"],
    ["called a page", { text: "x", headers: { "content-type": "text/html" } }, "Post answered with a web page"],
  ])("is missing in what is %s", (_, parts, message) => {
    expect(replyOf(parts).tryJson()).toBeUndefined();
    expect(() => replyOf(parts).json()).toThrow(message);
    expect(() => replyOf(parts).json()).toThrow(
      expect.objectContaining({ fields: { service: "Post", problem: "unreadable", status: 200 } }),
    );
  });

  it("may be of an unknown form", () => {
    expect(replyOf().unexpected()).toMatchObject({
      message: "Post sent an answer of an unknown form (status 200). Try again later.",
      fields: { problem: "unreadable" },
    });
  });
});

it.each<[number, unknown, unknown]>([
  [404, "not_found", "not_found"],
  [410, "not_found", "not_found"],
  [401, undefined, "forbidden"],
  [403, undefined, undefined],
])("explains status %i", (status, byAddress, byKeyless) => {
  const reply = replyOf({ status });

  expect([explainAddress(reply)?.problem, explainKeyless(reply)?.problem]).toEqual([byAddress, byKeyless]);
});

describe("serviceError", () => {
  it.each([
    [1, "Wait 1 second before the next call."],
    [1000, "Wait 1 second before the next call."],
    [1001, "Wait 2 seconds before the next call."],
    [0, "Wait 1 second before the next call."],
  ])("tells to wait %i ms in seconds", (retryAfterMs, advice) => {
    expect(serviceError("Post", { problem: "rate_limited", retryAfterMs })).toMatchObject({
      message: `Post gets too many requests. ${advice}`,
      fields: { service: "Post", problem: "rate_limited", retryAfterMs },
    });
  });

  it("has the code of the network as its cause, and advice of its own first", () => {
    const error = serviceError("Post", {
      problem: "unreachable",
      networkCode: "ECONNRESET",
      advice: "Go.",
      retryAfterMs: 1,
    });

    expect(error).toMatchObject({
      code: "unavailable",
      message: "Post cannot be reached, or the connection broke off. Go.",
      cause: { message: "The network failed with ECONNRESET.", code: "ECONNRESET" },
    });
    expect(serviceError("Post", { problem: "timeout" })).not.toHaveProperty("cause");
  });
});
