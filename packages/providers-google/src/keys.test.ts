import { inspect } from "node:util";
import { createLogger } from "@troupe/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { gather, startVendor } from "../test/vendor.ts";
import { google } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("keys", () => {
  it("go only with their own requests when 20 calls run at once", async () => {
    const { vendor, connect } = await startVendor();
    vendor.respond(({ request }) => {
      const { contents } = request.body as { contents: [{ parts: [{ text: string }] }] };
      return { answer: contents[0].parts[0].text };
    });
    const keys = Array.from({ length: 20 }, (_, index) => `sk-canary-${index}-7f3a`);
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
    const model = connect(undefined, { logger });

    const answers = await Promise.all(
      keys.map(async (apiKey, index) => {
        const messages = [{ role: "user" as const, content: `question ${index}` }];
        const options = { apiKey, stop: [""] };
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
      expect(request.url).not.toContain("key");
    }
    expect(new Set(vendor.exchanges.map(({ key }) => key)).size).toBe(20);
    expect(lines).toHaveLength(20);
    const seen = inspect([answers, lines, model], { depth: null, showHidden: true });
    expect(keys.filter((key) => seen.includes(key))).toEqual([]);
  });

  it("are the call's, then the configured one, then the environment's [model-config.api-key] [google.factory]", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("a", "b", "c", "d");
    vi.stubEnv("GOOGLE_API_KEY", "");
    vi.stubEnv("GEMINI_API_KEY", "second-key-of-env");
    const fromEnvironment = google("gemini-3.8-flash", { baseURL: vendor.url });

    await connect().generate(ask, { apiKey: "key-of-call" });
    await connect().generate(ask);
    await fromEnvironment.generate(ask);
    vi.stubEnv("GOOGLE_API_KEY", "key-of-env");
    await fromEnvironment.generate(ask);

    expect(vendor.exchanges.map(({ key }) => key)).toEqual(["key-of-call", "key-1", "second-key-of-env", "key-of-env"]);
  });

  it("make the call unauthorized when they are missing, before any request", async () => {
    const { vendor } = await startVendor();
    vi.stubEnv("GOOGLE_API_KEY", "");
    vi.stubEnv("GEMINI_API_KEY", "");
    const model = google("gemini-3.8-flash", { baseURL: vendor.url });

    await expect(model.generate(ask)).rejects.toMatchObject({ code: "unauthorized", fields: { vendor: "google" } });
    expect((await gather(model.stream(ask))).error).toMatchObject({ code: "unauthorized" });
    expect(vendor.exchanges).toEqual([]);
  });

  it("never follow a redirect", async () => {
    const { vendor, connect } = await startVendor();
    const { vendor: other } = await startVendor();
    const reply = { status: 307, headers: { location: `${other.url}/v1beta/models/x:generateContent` }, frames: [] };
    vendor.plan({ raw: reply }, { raw: reply });
    const redirected = { code: "model_failed", message: expect.stringContaining("redirect"), fields: { status: 307 } };

    expect((await gather(connect().stream(ask))).error).toMatchObject(redirected);
    await expect(connect().generate(ask)).rejects.toMatchObject(redirected);
    expect(other.exchanges).toEqual([]);
  });
});

describe("the environment", () => {
  it("changes nothing but the key of last resort, and nothing is written to the console", async () => {
    const { vendor, connect } = await startVendor();
    const { vendor: elsewhere } = await startVendor();
    vendor.say("a", "b", { toolCalls: [{ name: "look", arguments: {} }] });
    const printed = (["debug", "info", "log", "warn", "error"] as const).map((name) =>
      vi.spyOn(console, name).mockReturnValue(),
    );
    await connect().generate(ask);

    const nonsense = {
      GOOGLE_API_KEY: "canary-key",
      GEMINI_API_KEY: "canary-key-2",
      GOOGLE_GENAI_USE_VERTEXAI: "true",
      GOOGLE_GENAI_USE_ENTERPRISE: "true",
      GOOGLE_GENAI_API_VERSION: "canary",
      GOOGLE_GEMINI_BASE_URL: elsewhere.url,
      GOOGLE_VERTEX_BASE_URL: elsewhere.url,
      GOOGLE_CLOUD_PROJECT: "canary",
      GOOGLE_CLOUD_LOCATION: "canary",
      GOOGLE_APPLICATION_CREDENTIALS: "/canary",
      HTTP_PROXY: elsewhere.url,
      HTTPS_PROXY: elsewhere.url,
      http_proxy: elsewhere.url,
      ALL_PROXY: elsewhere.url,
    };
    for (const [name, value] of Object.entries(nonsense)) vi.stubEnv(name, value);
    await connect().generate(ask);
    await gather(connect().stream(ask));

    const [before, after] = vendor.exchanges;
    expect(after?.request).toEqual(before?.request);
    expect(inspect(vendor.exchanges, { depth: null })).not.toContain("canary");
    expect(elsewhere.exchanges).toEqual([]);
    for (const print of printed) expect(print).not.toHaveBeenCalled();
  });
});
