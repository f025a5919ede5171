import { isRetryable, TroupeError } from "@troupe/core";
import { describe, expect, it, vi } from "vitest";
import { Service } from "./service.ts";

const request = { url: "http://service.test/send", method: "POST", body: "{}" };
const advice = "Look whether it has arrived.";

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Sends a request with an effect over a `fetch`, reads its reply as JSON, and returns the error. */
async function failureOver(fetch: Fetch, { timeoutMs = 60_000, hasEffect = true } = {}) {
  const service = new Service({ name: "Post", timeoutMs, network: { fetch } });
  const outcome = service.call(undefined, async (ask) => {
    return (await ask({ ...request, ...(hasEffect && { lostAnswerAdvice: advice }) })).requireOk().json();
  });
  const error: unknown = await outcome.catch((thrown: unknown) => thrown);
  if (!TroupeError.is(error)) throw new Error("The call did not fail.", { cause: error });
  return error;
}

const fails =
  (code: string): Fetch =>
  async () =>
    await Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) }));
const answers =
  (status: number, body: string): Fetch =>
  async () =>
    await Promise.resolve(new Response(body, { status }));
const brokenBody = new ReadableStream({
  start: (controller) => controller.error(Object.assign(new Error("reset"), { code: "ECONNRESET" })),
});

describe("the answer to a request with an effect", () => {
  it.each<[what: string, fetch: Fetch]>([
    ["a reset connection", fails("ECONNRESET")],
    ["a connection of an unknown failure", async () => await Promise.reject(new Error("broken"))],
    ["an answer that breaks off", async () => await Promise.resolve(new Response(brokenBody))],
    ["status 500", answers(500, '{"error":{}}')],
    ["status 503", answers(503, "")],
    ["status 408", answers(408, "")],
    ["an empty answer", answers(200, "")],
    ["a web page", answers(200, "<html></html>")],
    ["JSON that is cut", answers(200, '{"id":')],
    ["an answer that is too large", answers(200, "x".repeat(5_000_000))],
  ])("is reported as possibly carried out after %s [toolkit.lost-answer]", async (_what, fetch) => {
    const error = await failureOver(fetch);

    expect(error.fields).toEqual({ service: "Post", problem: "outcome_unknown" });
    expect(error.message).toBe(
      "Post did not confirm the request, which may have been carried out all the same. Look whether it has arrived.",
    );
    // A caller that tries again after broken connections must not repeat it.
    expect(isRetryable(error)).toBe(false);
  });

  it("is reported as possibly carried out when the time is over", async () => {
    const silent: Fetch = async () => await new Promise<never>(() => undefined);

    const error = await failureOver(silent, { timeoutMs: 20 });

    expect(error.fields["problem"]).toBe("outcome_unknown");
  });

  it.each<[what: string, fetch: Fetch, problem: string]>([
    ["a refused connection", fails("ECONNREFUSED"), "unreachable"],
    ["an unknown host", fails("ENOTFOUND"), "unreachable"],
    ["a wrong certificate", fails("CERT_HAS_EXPIRED"), "unreachable"],
    ["status 400", answers(400, ""), "refused"],
    ["status 401", answers(401, ""), "credential_refused"],
    ["status 429", answers(429, ""), "rate_limited"],
  ])("is a plain failure after %s, which did nothing", async (_what, fetch, problem) => {
    expect((await failureOver(fetch)).fields["problem"]).toBe(problem);
  });

  it("is a plain failure of a request without an effect", async () => {
    expect((await failureOver(fails("ECONNRESET"), { hasEffect: false })).fields["problem"]).toBe("unreachable");
  });

  it("is a plain failure when the time is over before the request is sent", async () => {
    const service = new Service({ name: "Post", timeoutMs: 20, network: { fetch: answers(200, "{}") } });
    const outcome = service.call(undefined, async () => await new Promise<never>(() => undefined));

    await expect(outcome).rejects.toMatchObject({ fields: { problem: "timeout" } });
  });

  it("is a plain failure when the time is over after it has come", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    const service = new Service({ name: "Post", timeoutMs: 1000, network: { fetch: answers(401, "{}") } });
    const outcome = service.call(undefined, async (ask) => {
      await ask({ ...request, lostAnswerAdvice: advice });
      resolve();
      return await new Promise<never>(() => undefined);
    });
    await answered;
    vi.advanceTimersByTime(1000);

    await expect(outcome).rejects.toMatchObject({ fields: { problem: "timeout" } });
    vi.useRealTimers();
  });
});

describe("the code of a failure before a connection stands", () => {
  it.each([
    "ECONNREFUSED",
    "ENOTFOUND",
    "EAI_AGAIN",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "EADDRNOTAVAIL",
    "UND_ERR_CONNECT_TIMEOUT",
    "CERT_HAS_EXPIRED",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  ])("%s means that nothing was sent", async (code) => {
    expect((await failureOver(fails(code))).fields["problem"]).toBe("unreachable");
  });

  it.each(["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_HEADERS_TIMEOUT", "econnrefused"])(
    "%s leaves open what was done",
    async (code) => {
      expect((await failureOver(fails(code))).fields["problem"]).toBe("outcome_unknown");
    },
  );

  it("is found among as many as ten causes", async () => {
    const nested = (depth: number): Error =>
      depth === 0
        ? Object.assign(new Error("deep"), { code: "ENOTFOUND" })
        : new Error(`at ${depth}`, { cause: nested(depth - 1) });
    const problems = await Promise.all(
      [10, 11].map(async (depth) => (await failureOver(async () => await Promise.reject(nested(depth)))).fields),
    );

    expect(problems.map(({ problem }) => problem)).toEqual(["unreachable", "outcome_unknown"]);
  });
});
