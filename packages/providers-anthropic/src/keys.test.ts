import { inspect } from "node:util";
import { createLogger } from "@troupe/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { gather, startVendor } from "../test/vendor.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];

afterEach(() => void vi.unstubAllEnvs());

describe("keys", () => {
  it("go only with their own requests when 20 calls run at once", async () => {
    const { vendor, connect } = await startVendor();
    vendor.respond(({ request }) => {
      const { messages } = request.body as { messages: [{ content: [{ text: string }] }] };
      return { answer: messages[0].content[0].text };
    });
    const keys = Array.from({ length: 20 }, (_, index) => `sk-canary-${index}-7f3a`);
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
    const model = connect(undefined, { logger });

    const answers = await Promise.all(
      keys.map(async (apiKey, index) => {
        const messages = [{ role: "user" as const, content: `question ${index}` }];
        const options = { apiKey, temperature: 1 };
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

  it("are the call's, then the configured one, then the environment's [model-config.api-key] [anthropic.factory]", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("a", "b", "c");
    vi.stubEnv("ANTHROPIC_API_KEY", "key-of-env");

    await connect().generate(ask, { apiKey: "key-of-call" });
    await connect().generate(ask);
    const { anthropic } = await import("./index.ts");
    await anthropic("claude-opus-5-5", { baseURL: vendor.url }).generate(ask);

    expect(vendor.exchanges.map(({ key }) => key)).toEqual(["key-of-call", "key-1", "key-of-env"]);
  });

  it("make the call unauthorized when they are missing, before any request", async () => {
    const { vendor } = await startVendor();
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "token-of-env");
    const { anthropic } = await import("./index.ts");
    const model = anthropic("claude-opus-5-5", { baseURL: vendor.url });

    await expect(model.generate(ask)).rejects.toMatchObject({ code: "unauthorized" });
    expect((await gather(model.stream(ask))).error).toMatchObject({ code: "unauthorized" });
    expect(vendor.exchanges).toEqual([]);
  });

  it("never follow a redirect", async () => {
    const { vendor, connect } = await startVendor();
    const { vendor: other } = await startVendor();
    vendor.plan({ raw: { status: 307, headers: { location: `${other.url}/v1/messages` }, frames: [] } });

    const { error } = await gather(connect().stream(ask));

    expect(error).toMatchObject({
      code: "model_failed",
      message: expect.stringContaining("redirect"),
      fields: { status: 307 },
    });
    expect(other.exchanges).toEqual([]);
  });
});

describe("the environment", () => {
  it("changes nothing but the key of last resort", async () => {
    const { vendor, connect } = await startVendor();
    const { vendor: elsewhere } = await startVendor();
    vendor.say("a", "b");
    await connect().generate(ask);

    const nonsense = {
      ANTHROPIC_API_KEY: "canary-key",
      ANTHROPIC_AUTH_TOKEN: "canary-token",
      ANTHROPIC_BASE_URL: elsewhere.url,
      ANTHROPIC_CUSTOM_HEADERS:
        "Authorization: canary\nx-api-key: canary\nanthropic-version: canary\nuser-agent: canary\nx-more: canary",
      ANTHROPIC_LOG: "debug",
      ANTHROPIC_PROFILE: "canary",
      ANTHROPIC_CONFIG_DIR: "/canary",
      ANTHROPIC_WEBHOOK_SIGNING_KEY: "canary",
      HTTP_PROXY: elsewhere.url,
      HTTPS_PROXY: elsewhere.url,
      http_proxy: elsewhere.url,
      ALL_PROXY: elsewhere.url,
    };
    for (const [name, value] of Object.entries(nonsense)) vi.stubEnv(name, value);
    const printed = vi.spyOn(console, "debug").mockReturnValue();
    await connect().generate(ask);

    const [before, after] = vendor.exchanges;
    expect(after?.request).toEqual(before?.request);
    expect(inspect(vendor.exchanges, { depth: null })).not.toContain("canary");
    expect(elsewhere.exchanges).toEqual([]);
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });
});

it("writes nothing to the console, also not of models that are to be retired", async () => {
  const { vendor, connect } = await startVendor();
  vendor.say("a", "b");
  const warned = vi.spyOn(console, "warn").mockReturnValue();
  await connect("claude-sonnet-4-5").generate(ask);
  await connect("claude-opus-4-6").generate(ask, { reasoning: { enabled: true } });

  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});
