import { contextWith, FakeService } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it, onTestFinished } from "vitest";
import { GmailApi } from "./gmail-api.ts";

type Asked = { refused?: string | undefined; signal?: AbortSignal | undefined };

/** A mailbox behind a fake service, and what its tokens were asked for with. */
async function startApi(tokens: readonly string[] = ["one", "two"], slash = "") {
  const service = (await FakeService.start()).answer(() => ({ body: "{}" }));
  onTestFinished(() => service.close());
  const asked: Asked[] = [];
  const source = {
    getToken: async (wanted: Asked) => tokens[asked.push(wanted) - 1] ?? "none",
  };
  const api = new GmailApi({ baseURL: service.url + slash, timeoutMs: 5000, network: {}, tokens: source });
  return { service, asked, api };
}

describe("GmailApi", () => {
  it.each(["", "/", "//"])("puts the path behind its address with %j", async (slash) => {
    const { service, api } = await startApi(undefined, slash);
    service.answer(() => ({ body: '{"a":1}' }));
    const answer = await api.call(contextWith(), async (ask) => {
      return await ask("/x", { method: "POST", body: "B", headers: { "x-a": "1" } });
    });

    expect(answer).toEqual({ a: 1 });
    const { method, path, body, headers } = service.requests[0] ?? {};
    expect([method, path, body, headers?.["x-a"], headers?.authorization]).toEqual([
      "POST",
      "/x",
      "B",
      "1",
      "Bearer one",
    ]);
  });

  it("asks once more with a new token, after the first was refused", async () => {
    const { service, asked, api } = await startApi();
    const { signal } = new AbortController();
    service.answer(({ headers }) => (headers.authorization === "Bearer one" ? { status: 401 } : { body: "{}" }));

    expect(await api.call({ ...contextWith(), signal }, async (ask) => await ask("/x"))).toEqual({});
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer one", "Bearer two"]);
    expect(asked.map(({ refused }) => refused)).toEqual([undefined, "one"]);
    expect(asked.every((each) => each.signal !== undefined)).toBe(true);
  });

  it("passes on neither token, whichever an answer repeats", async () => {
    const tokens = ["ya29.first-token", "ya29.second-token", "ya29.third-token"];
    const { service, api } = await startApi(tokens);
    service.answer(({ headers: { authorization = "" } }) => ({
      status: authorization.endsWith("second-token") ? 401 : 200,
      body: JSON.stringify({ authorization }),
    }));

    const answers = await api.call(contextWith(), async (ask) => [await ask("/x"), await ask("/x")]);
    expect(answers.map(({ authorization }) => authorization)).toEqual(["Bearer [redacted]", "Bearer [redacted]"]);
  });

  it("asks twice at most", async () => {
    const { service, asked, api } = await startApi();
    service.answer(() => ({ status: 401 }));

    await expect(api.call(contextWith(), async (ask) => await ask("/x"))).rejects.toMatchObject({
      fields: { problem: "credential_refused", status: 401 },
    });
    expect([service.requests.length, asked.length]).toEqual([2, 2]);
  });

  it.each(["[]", "null", '"x"'])("refuses an answer of another form: %s", async (body) => {
    const { service, api } = await startApi();
    service.answer(() => ({ body }));

    await expect(api.call(contextWith(), async (ask) => await ask("/x"))).rejects.toMatchObject({
      fields: { problem: "unreadable" },
      message: expect.stringContaining("an answer of an unknown form") as unknown,
    });
  });
});

describe("a reason that Gmail names", () => {
  const limits = ["rate_limited", "gets too many requests"];
  const daily = ["quota_exceeded", "has reached its limit for today"];
  const permission = ["forbidden", "lacks the permission"];
  const notEnabled = ["forbidden", "is not enabled for the project of the OAuth client"];

  it.each([
    ["rateLimitExceeded", limits],
    ["userRateLimitExceeded", limits],
    ["RATE_LIMIT_EXCEEDED", limits],
    ["dailyLimitExceeded", daily],
    ["quotaExceeded", daily],
    ["insufficientPermissions", permission],
    ["ACCESS_TOKEN_SCOPE_INSUFFICIENT", permission],
    ["accessNotConfigured", notEnabled],
    ["SERVICE_DISABLED", notEnabled],
    ["domainPolicy", ["forbidden", "may not be used by this app"]],
    ["failedPrecondition", ["refused", "has no mailbox"]],
    ["constructor", ["forbidden", "does not allow this request"]],
  ])("tells what happened: %s", async (reason, [problem = "", words = ""]) => {
    for (const list of ["details", "errors"]) {
      const body = JSON.stringify({ error: { [list]: [{}, { reason }] } });
      const fetch = async () => await Promise.resolve(new Response(body, { status: 403 }));
      const tokens = { getToken: async () => await Promise.resolve("one") };
      const api = new GmailApi({ baseURL: "https://gmail.test", timeoutMs: 5000, network: { fetch }, tokens });

      await expect(api.call(contextWith(), async (ask) => await ask("/x"))).rejects.toMatchObject({
        fields: { problem, status: 403 },
        message: expect.stringContaining(words) as unknown,
      });
    }
  });
});
