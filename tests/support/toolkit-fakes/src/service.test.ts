import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  cleanDate,
  enabledTools,
  readCredential,
  serviceError,
  Service,
  toHitsResult,
  toIsoTime,
} from "@troupe-internal/toolkit";
import type { Ask, CredentialSources } from "@troupe-internal/toolkit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { FakeService } from "./fake-service.ts";
import type { FakeReply } from "./fake-service.ts";
import { allTextOf } from "./toolkit-trial.ts";

/** Starts a fake that answers with one reply, and a service that asks it. */
async function start(reply: FakeReply, { timeoutMs = 20_000, network = {} } = {}) {
  const fake = (await FakeService.start()).answer(reply);
  onTestFinished(() => fake.close());
  return { fake, service: new Service({ name: "Library", timeoutMs, network }), url: `${fake.url}/books` };
}

/** Asks once, and returns the parsed answer. */
const asking = (url: string) => async (ask: Ask) => (await ask({ url })).requireOk().json();

describe("a service", () => {
  it("is asked with the request's method, headers and body, and with the user's headers in their place", async () => {
    const { fake, service, url } = await start(
      { body: "{}" },
      { network: { headers: { "X-Own": "2", accept: null } } },
    );
    const headers = { accept: "text/plain", "x-own": "1", "content-type": "application/json" };
    await service.call(
      undefined,
      async (ask) => await ask({ url: `${url}?q=1`, method: "POST", headers, body: "[1]" }),
    );

    expect(fake.requests).toMatchObject([
      { method: "POST", path: "/books", body: "[1]", headers: { "x-own": "2", accept: "*/*", "user-agent": "troupe" } },
    ]);
  });

  it("fails with what happened and what to do, and nothing of what it said [toolkit.errors]", async () => {
    const { service, url } = await start({ status: 429, headers: { "retry-after": "1" }, body: '"Slow down, Ada"' });

    await expect(service.call(undefined, asking(url))).rejects.toMatchObject({
      code: "rate_limited",
      message: "Library gets too many requests (status 429). Wait 1 second before the next call.",
      fields: { service: "Library", problem: "rate_limited", status: 429, retryAfterMs: 1000 },
    });
  });

  it.each([
    ["", "Library sent an empty answer"],
    ["<!doctype html><h1>Sign in</h1>", "Library answered with a web page where JSON was expected"],
    ['{"a":', "Library sent an answer that is cut or not JSON"],
  ])("tells of %j that it is no JSON [toolkit.errors]", async (body, message) => {
    const { service, url } = await start({ body });

    await expect(service.call(undefined, asking(url))).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(message),
      fields: { problem: "unreadable" },
    });
  });

  it("has one time limit for all requests of a call [toolkit.time-limit]", async () => {
    const { fake, service, url } = await start({ body: "{}", delivery: { delayMs: 30 } }, { timeoutMs: 200 });
    const endless = service.call(undefined, async (ask) => {
      for (;;) await ask({ url });
    });

    await expect(endless).rejects.toMatchObject({
      code: "timeout",
      message: "Library did not answer within 200 ms. Try again later, or raise timeoutMs of the toolkit.",
    });
    await vi.waitFor(() => expect(fake.openConnections).toBeLessThan(2));
  });

  it("ends work that waits for something else, when its time is over [toolkit.time-limit]", async () => {
    const { service } = await start({}, { timeoutMs: 50 });
    const waiting = service.call(undefined, async () => await new Promise<never>(() => undefined));

    await expect(waiting).rejects.toMatchObject({ code: "timeout", fields: { problem: "timeout" } });
  });

  it("ends requests that the work has left behind", async () => {
    const { fake, service, url } = await start({ delivery: { fault: { kind: "hang", at: "before-headers" } } });
    const left: Promise<unknown>[] = [];
    await service.call(undefined, async (ask) => {
      left.push(ask({ url }).catch((error: unknown) => error));
      await vi.waitFor(() => expect(fake.requests).toHaveLength(1));
    });

    expect(await left[0]).toBeInstanceOf(Error);
    await vi.waitFor(() => expect(fake.openConnections).toBe(0));
  });

  it("is not followed to another address [toolkit.redirects]", async () => {
    const elsewhere = await start({ body: "{}" });
    const { service, url } = await start({ status: 307, headers: { location: elsewhere.url } });

    await expect(service.call(undefined, asking(url))).rejects.toMatchObject({ fields: { problem: "redirected" } });
    expect(elsewhere.fake.requests).toEqual([]);
  });

  it("hides the secrets of a request in its answer, however they are written [toolkit.credential-hidden]", async () => {
    const secret = 'key+"1/2=';
    const { service, url } = await start({ body: JSON.stringify([secret, encodeURIComponent(secret), "key"]) });
    const answered = service.call(undefined, async (ask) => (await ask({ url, secrets: [secret] })).json());

    expect(await answered).toEqual(["[redacted]", "[redacted]", "key"]);
  });

  it("hides the tokens in the user's headers, which a service repeats [toolkit.credential-hidden]", async () => {
    const headers = {
      "x-gateway-token": "token-of-the-gateway",
      authorization: "Bearer abcdefgh",
      "x-team": "blue-team",
    };
    const body = JSON.stringify(["token-of-the-gateway", "abcdefgh", "Bearer abcdefgh", "blue-team"]);
    const { service, url } = await start({ body }, { network: { headers } });

    expect(await service.call(undefined, asking(url))).toEqual(["[redacted]", "[redacted]", "[redacted]", "blue-team"]);
  });

  it("passes on nothing that the user's function headers throws [toolkit.credential-hidden]", async () => {
    const headers = () => {
      throw new Error("the token abc has expired");
    };
    const { service, url } = await start({ body: "{}" }, { network: { headers } });
    const error: unknown = await service.call(undefined, asking(url)).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      code: "unavailable",
      message: "Library cannot be asked, because the function headers failed. Mend the function.",
    });
    expect(allTextOf(error)).not.toContain("abc");
  });

  it("reports a proxy that refuses, without its address", async () => {
    const { service, url } = await start({}, { network: { proxy: "http://user:secret@127.0.0.1:9" } });

    await expect(service.call(undefined, asking(url))).rejects.toSatisfy(
      (error) => !/secret/.test(String((error as Error).cause) + String(error)),
    );
  });
});

describe("a credential", () => {
  const read = async (sources: Partial<CredentialSources>) =>
    await readCredential({
      service: "Library",
      option: "apiKey",
      given: undefined,
      environment: ["TROUPE_TEST_KEY_A", "TROUPE_TEST_KEY_B"],
      ...sources,
    });

  it("is the option's, else that of the first variable that is set [toolkit.credential]", async () => {
    vi.stubEnv("TROUPE_TEST_KEY_A", "");
    vi.stubEnv("TROUPE_TEST_KEY_B", "from-b");
    onTestFinished(() => void vi.unstubAllEnvs());

    expect(await read({ given: "given" })).toBe("given");
    expect(await read({ given: async () => await Promise.resolve("made") })).toBe("made");
    expect(await read({})).toBe("from-b");
    vi.stubEnv("TROUPE_TEST_KEY_A", "from-a");
    expect(await read({})).toBe("from-a");
  });

  it("is named with its option and variables where there is none [toolkit.credential]", async () => {
    await expect(read({})).rejects.toMatchObject({
      code: "unauthorized",
      message:
        "Library needs a credential, and there is none. It has to be configured: pass apiKey, set TROUPE_TEST_KEY_A or set TROUPE_TEST_KEY_B.",
    });
  });

  it.each(["two words", "line\nbreak", "ключ", ""])("is not shown when it cannot be sent: %j", async (given) => {
    await expect(read({ given: () => given })).rejects.toMatchObject({
      code: "invalid_config",
      message: "The credential in apiKey of Library must be 1 to 16384 visible ASCII characters without spaces.",
    });
  });

  it("is not shown by a function that fails, and ends its wait with the signal", async () => {
    const fail = () => {
      throw new Error("token abc expired");
    };
    await expect(read({ given: fail })).rejects.toSatisfy((error) => !/abc/.test(allTextOf(error)));
    const silent = async () => await new Promise<string>(() => undefined);
    await expect(read({ given: silent, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("what toolkits share", () => {
  it("keeps the fields of an error to facts of ours", () => {
    expect(serviceError("Library", { problem: "unreachable", networkCode: "ECONNRESET" })).toMatchObject({
      fields: { service: "Library", problem: "unreachable" },
      cause: { code: "ECONNRESET" },
    });
  });

  it("leaves a date that is none as it is", () => {
    expect(["2026-11-01T10:00:00Z", "2026-13-45", "2 days ago", "Nov 1, 2026", 5].map(cleanDate)).toEqual([
      "2026-11-01",
      "2026-13-45",
      "2 days ago",
      "Nov 1, 2026",
      "",
    ]);
  });

  it("leaves out a time that is none", () => {
    expect([0, 1_793_491_200, -1, 253_402_300_800, NaN, Infinity, "1"].map(toIsoTime)).toEqual([
      "1970-01-01T00:00:00Z",
      "2026-11-01T00:00:00Z",
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("says that nothing was found", () => {
    expect(toHitsResult({ service: "Library", query: "x", hits: [] })).toEqual({
      content: { results: [], note: "Library found nothing for this query. Try fewer or other words." },
      artifacts: [
        { type: "search_hits", mimeType: "application/json", data: { service: "Library", query: "x", hits: [] } },
      ],
    });
  });

  it("makes no tool that is disabled", () => {
    const make = () => {
      throw new Error("It was made.");
    };
    expect(() => enabledTools("Kit", [{ option: "enableA", isEnabled: false, make }])).toThrow(
      "Kit has no tools, because enableA is false. Leave one of them out.",
    );
  });
});

describe("every toolkit of this repository", () => {
  const packages = join(import.meta.dirname, "../../../../packages");

  it.each(readdirSync(packages).filter((name) => name.startsWith("toolkits-")))("%s runs the suite", (name) => {
    const folder = join(packages, name, "src");
    const tests = readdirSync(folder).filter((file) => file.endsWith(".test.ts") && !file.includes(".live."));
    const texts = tests.map((file) => readFileSync(join(folder, file), "utf8"));

    expect(texts.some((text) => text.includes("toolkitSuite(it"))).toBe(true);
  });
});
