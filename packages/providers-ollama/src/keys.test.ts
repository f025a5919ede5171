import { inspect } from "node:util";
import { createLogger } from "@troupe/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { gather, startVendor } from "../test/vendor.ts";
import { findKey } from "./find-key.ts";
import { ollama } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];

afterEach(() => void vi.unstubAllEnvs());

describe("keys", () => {
  it("go only with their own requests when 20 calls run at once", async () => {
    const { vendor, connect } = await startVendor();
    vendor.respond(({ request }) => {
      const { messages } = request.body as { messages: [{ content: string }] };
      return { answer: messages[0].content };
    });
    const keys = Array.from({ length: 20 }, (_, index) => `sk-canary-${index}-7f3a`);
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
    const model = connect(undefined, { logger });

    const answers = await Promise.all(
      keys.map(async (apiKey, index) => {
        const messages = [{ role: "user" as const, content: `question ${index}` }];
        const options = { apiKey, reasoning: { enabled: true, budgetTokens: 1 } };
        return index % 2 === 0
          ? await model.generate(messages, options)
          : await gather(model.stream(messages, options));
      }),
    );

    for (const { request, key } of vendor.exchanges) {
      const index = keys.indexOf(key ?? "");
      expect(JSON.stringify(request.body)).toContain(`question ${index}"`);
      const everything = inspect(request, { depth: null });
      expect(keys.filter((each) => everything.includes(each))).toEqual([key]);
    }
    expect(new Set(vendor.exchanges.map(({ key }) => key)).size).toBe(20);
    expect(lines).toHaveLength(20);
    const seen = inspect([answers, lines, model], { depth: null, showHidden: true });
    expect(keys.filter((key) => seen.includes(key))).toEqual([]);
  });

  it("are the call's, then the configured one, and else there is none [model-config.api-key]", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("a", "b", "c");
    vi.stubEnv("OLLAMA_API_KEY", "key-of-env");

    await connect(undefined, { apiKey: "key-1" }).generate(ask, { apiKey: "key-of-call" });
    await connect(undefined, { apiKey: "key-1" }).generate(ask);
    await connect().generate(ask);

    expect(vendor.exchanges.map(({ key }) => key)).toEqual(["key-of-call", "key-1", undefined]);
  });

  it.each([
    ["https://ollama.com", "key-of-env"],
    ["https://ollama.com/", "key-of-env"],
    ["http://ollama.com", undefined],
    ["https://ollama.com.example.org", undefined],
    ["https://eu.ollama.com", undefined],
    ["http://127.0.0.1:11434", undefined],
  ])("are sent from the environment only to ollama.com: %s gets %s", async (baseURL, expected) => {
    vi.stubEnv("OLLAMA_API_KEY", "key-of-env");

    expect((await findKey({ baseURL, request: undefined, config: undefined }))?.value).toBe(expected);
    expect((await findKey({ baseURL, request: undefined, config: "key-1" }))?.value).toBe("key-1");
  });

  it("make a call to ollama.com unauthorized when they are missing, before any request", async () => {
    vi.stubEnv("OLLAMA_API_KEY", "");
    const model = ollama("gpt-oss:120b", { baseURL: "https://ollama.com" });

    await expect(model.generate(ask)).rejects.toMatchObject({
      code: "unauthorized",
      message: "ollama needs an API key: pass apiKey or set OLLAMA_API_KEY.",
    });
  });

  it("are an invalid request when a header cannot hold them", async () => {
    const { vendor, connect } = await startVendor();

    await expect(connect().generate(ask, { apiKey: "two words" })).rejects.toMatchObject({ code: "invalid_request" });
    expect(vendor.exchanges).toEqual([]);
  });

  it("never follow a redirect", async () => {
    const { vendor, connect } = await startVendor();
    const { vendor: other } = await startVendor();
    vendor.plan({ raw: { status: 307, headers: { location: `${other.url}/api/chat` }, frames: [] } });

    const { error } = await gather(connect().stream(ask, { apiKey: "key-1" }));

    expect(error).toMatchObject({ code: "model_failed", message: expect.stringContaining("redirect") });
    expect(other.exchanges).toEqual([]);
  });
});

describe("the environment", () => {
  it("changes nothing", async () => {
    const { vendor, connect } = await startVendor();
    const { vendor: elsewhere } = await startVendor();
    vendor.say("a", "b");
    await connect(undefined, { apiKey: "key-1" }).generate(ask);

    const nonsense = {
      OLLAMA_HOST: elsewhere.url,
      OLLAMA_API_KEY: "canary-key",
      OLLAMA_MODEL: "canary",
      OLLAMA_CONTEXT_LENGTH: "1",
      HTTP_PROXY: elsewhere.url,
      HTTPS_PROXY: elsewhere.url,
      http_proxy: elsewhere.url,
      ALL_PROXY: elsewhere.url,
    };
    for (const [name, value] of Object.entries(nonsense)) vi.stubEnv(name, value);
    await connect(undefined, { apiKey: "key-1" }).generate(ask);

    const [before, after] = vendor.exchanges;
    expect(after?.request).toEqual(before?.request);
    expect(inspect(vendor.exchanges, { depth: null })).not.toContain("canary");
    expect(elsewhere.exchanges).toEqual([]);
  });

  it("does not move the server that is asked by default", async () => {
    const { vendor: elsewhere } = await startVendor();
    vi.stubEnv("OLLAMA_HOST", elsewhere.url);

    // Whether or not a server runs on this machine, it has no such model.
    const asked = ollama("troupe-has-no-such-model", { timeoutMs: 5000 }).generate(ask);

    await expect(asked).rejects.toMatchObject({ code: "model_failed" });
    expect(elsewhere.exchanges).toEqual([]);
  });
});
