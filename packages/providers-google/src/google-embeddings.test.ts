import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { checkConformance, embeddingProviderCases } from "@troupe/core/testing";
import type { EmbeddingProviderSubject } from "@troupe/core/testing";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { bodiesOf, startVendor } from "../test/vendor.ts";
import { googleEmbeddings } from "./index.ts";
import { startEmbeddings, startAnswering, vectorsOf } from "../test/embeddings.ts";
import type { Batch } from "../test/embeddings.ts";

type Subject = EmbeddingProviderSubject & { vendor: FakeVendor };

afterEach(() => void vi.unstubAllEnvs());

describe.each([
  ["of the model's own length", {}],
  ["that are shortened", { dimensions: 8 }],
])("embeddings of Google's %s [google.embeddings]", (_, options) => {
  const create = async (): Promise<Subject> => {
    const vendor = await FakeVendor.start({ strict: true, dimensions: 32 });
    const config = { apiKey: "key-1", baseURL: vendor.url, model: "gemini-embedding-2", ...options };
    return { vendor, embeddings: googleEmbeddings(config), requestCount: () => vendor.exchanges.length };
  };
  checkConformance(it, embeddingProviderCases, { create, dispose: ({ vendor }) => vendor.close() });
});

describe("a batch", () => {
  it("is asked for in the vendor's words, each text as a content of its own", async () => {
    const { vendor, embeddings } = await startEmbeddings({ model: "gemini-embedding-2", dimensions: 8 });
    await embeddings.embedBatch(["rain", "sun"]);

    const toRequest = (text: string) => ({
      model: "models/gemini-embedding-2",
      content: { role: "user", parts: [{ text }] },
      outputDimensionality: 8,
    });
    expect(bodiesOf(vendor)).toEqual([{ requests: [toRequest("rain"), toRequest("sun")] }]);
    const request = vendor.exchanges[0]?.request;
    expect(request?.url).toBe("/v1beta/models/gemini-embedding-2:batchEmbedContents");
    const { host: _, "content-length": __, connection: ___, ...sent } = request?.headers ?? {};
    expect(sent).toEqual({
      accept: "*/*",
      "accept-encoding": "identity",
      "content-type": "application/json",
      "user-agent": "troupe",
      "x-goog-api-key": "key-1",
    });
  });

  it("says no length that was not asked for", async () => {
    const { vendor, embeddings } = await startEmbeddings({ vectors: 3072, model: "gemini-embedding-001" });
    await embeddings.embed("rain");

    expect((bodiesOf(vendor)[0] as Batch).requests[0]).not.toHaveProperty("outputDimensionality");
    expect(embeddings.dimensions).toBe(3072);
  });

  it("is split when it is larger than the vendor takes, and comes in order", async () => {
    const { vendor, embeddings } = await startEmbeddings({ model: "m" });
    const texts = Array.from({ length: 250 }, (_, index) => `text ${index}`);
    const vectors = await embeddings.embedBatch(texts);

    expect(bodiesOf(vendor).map((body) => (body as Batch).requests.length)).toEqual([100, 100, 50]);
    expect(vectors[249]).toEqual(await embeddings.embed("text 249"));
  });

  it("has vectors as long as one when they were shortened, and as they came when they were not", async () => {
    const short = await startAnswering((count) => ({ body: vectorsOf(count, [3, 4]) }), { dimensions: 2 });
    const whole = await startAnswering((count) => ({ body: vectorsOf(count, [3, 4]) }));
    const none = await startAnswering((count) => ({ body: vectorsOf(count, [0, 0]) }), { dimensions: 2 });

    expect(await short.embeddings.embed("rain")).toEqual([0.6, 0.8]);
    expect(await whole.embeddings.embed("rain")).toEqual([3, 4]);
    expect(await none.embeddings.embed("rain")).toEqual([0, 0]);
  });

  it.each<[string, (texts: number) => unknown, object]>([
    ["fewer vectors than texts", () => vectorsOf(1), {}],
    ["more vectors than texts", () => vectorsOf(3), {}],
    ["vectors of two lengths", () => ({ embeddings: [{ values: [1] }, { values: [1, 2] }] }), {}],
    ["vectors of another length than was asked for", vectorsOf, { dimensions: 3 }],
    ["vectors of nothing", (texts) => vectorsOf(texts, []), {}],
    ["no vectors at all", () => ({}), {}],
    ["null", () => null, {}],
  ])("is a failure of the vendor when it comes back as %s", async (_, answer, options) => {
    const { embeddings } = await startAnswering((texts) => ({ body: answer(texts) }), options);

    await expect(embeddings.embedBatch(["rain", "sun"])).rejects.toMatchObject({
      name: "ModelError",
      code: "model_failed",
      message: "google sent vectors of another number or length than was asked for.",
    });
  });

  it("a batch whose later part has vectors of another length is the vendor's failure", async () => {
    const { embeddings } = await startAnswering((texts) => ({ body: vectorsOf(texts, texts === 100 ? [1] : [1, 2]) }));

    await expect(embeddings.embedBatch(Array.from({ length: 101 }, () => "rain"))).rejects.toMatchObject({
      code: "model_failed",
    });
  });

  it("is refused before the request, by the index of an empty text", async () => {
    const { vendor, embeddings } = await startEmbeddings();

    await expect(embeddings.embedBatch(["rain", ""])).rejects.toMatchObject({
      code: "invalid_value",
      message: expect.stringContaining("text 1"),
    });
    expect(vendor.exchanges).toEqual([]);
  });
});

describe("a failure", () => {
  it("tells how long the vendor asks to wait", async () => {
    const error = { code: 429, status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "2s" }] };
    const { embeddings, asked } = await startAnswering(() => ({ status: 429, body: { error } }));

    await expect(embeddings.embed("rain")).rejects.toMatchObject({ code: "rate_limited", retryAfterMs: 2000 });
    expect(asked()).toBe(1);
  });

  it("is the caller's when their key is wrong, and shows it nowhere", async () => {
    const error = { code: 400, message: "API key not valid: canary-key", details: [{ reason: "API_KEY_INVALID" }] };
    const { embeddings } = await startAnswering(() => ({ status: 400, body: { error } }));

    const failed: unknown = await embeddings.embed("rain", { apiKey: "canary-key" }).catch((thrown: unknown) => thrown);

    expect(failed).toMatchObject({ code: "unauthorized", status: 401 });
    expect(inspect(failed, { depth: 9, showHidden: true })).not.toContain("canary");
  });

  it("is a timeout when no answer comes in time, and an end when the caller leaves", async () => {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => server.close().closeAllConnections());
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const config = { apiKey: "key-1", baseURL };
    const abort = new AbortController();

    const late = googleEmbeddings({ ...config, timeoutMs: 50 }).embed("rain");
    await expect(late).rejects.toMatchObject({ code: "timeout" });
    const asked = once(server, "request");
    const left = googleEmbeddings(config).embed("rain", { signal: abort.signal });
    const [request] = (await asked) as [{ socket: { destroyed: boolean } }];
    abort.abort();

    await expect(left).rejects.toMatchObject({ code: "cancelled" });
    await expect.poll(() => request.socket.destroyed).toBe(true);
  });
});

describe("keys", () => {
  it("go only with their own texts when 20 calls run at once", async () => {
    const { vendor, embeddings } = await startEmbeddings({ model: "m" });
    const keys = Array.from({ length: 20 }, (_, index) => `sk-canary-${index}-7f3a`);

    const vectors = await Promise.all(keys.map((apiKey, index) => embeddings.embed(`text ${index}.`, { apiKey })));

    for (const { request, key = "" } of vendor.exchanges) {
      expect(JSON.stringify(request.body)).toContain(`text ${keys.indexOf(key)}.`);
    }
    expect(new Set(vendor.exchanges.map(({ key }) => key)).size).toBe(20);
    expect(inspect([vectors, embeddings], { depth: null, showHidden: true })).not.toContain("canary");
  });

  it("are the call's, then the configured one, then the environment's", async () => {
    const { vendor, embeddings } = await startEmbeddings({ model: "m" });
    vi.stubEnv("GEMINI_API_KEY", "key-of-env");

    await embeddings.embed("rain", { apiKey: "key-of-call" });
    await embeddings.embed("rain");
    await googleEmbeddings({ baseURL: vendor.url, model: "m", useEnvironmentKey: true }).embed("rain");

    expect(vendor.exchanges.map(({ key }) => key)).toEqual(["key-of-call", "key-1", "key-of-env"]);
  });

  it("make the call unauthorized when they are missing, before any request", async () => {
    vi.stubEnv("GEMINI_API_KEY", "");
    vi.stubEnv("GOOGLE_API_KEY", "");

    await expect(googleEmbeddings().embed("rain")).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("are all that the environment has to say", async () => {
    const { vendor, embeddings } = await startEmbeddings({ model: "m" });
    const { vendor: elsewhere } = await startVendor();
    await embeddings.embed("rain");

    for (const name of ["GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "HTTPS_PROXY", "HTTP_PROXY", "http_proxy"])
      vi.stubEnv(name, elsewhere.url);
    for (const name of ["GOOGLE_API_KEY", "GOOGLE_GENAI_API_VERSION"]) vi.stubEnv(name, "canary");
    for (const name of ["GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE"]) vi.stubEnv(name, "true");
    await googleEmbeddings({ apiKey: "key-1", baseURL: vendor.url, model: "m" }).embed("rain");

    const [before, after] = vendor.exchanges;
    expect(after?.request).toEqual(before?.request);
    expect(elsewhere.exchanges).toEqual([]);
  });
});

describe("googleEmbeddings", () => {
  it.each<[string, unknown, RegExp]>([
    ["baseUrl", { baseUrl: "https://example.com" }, /Unknown option "baseUrl" of googleEmbeddings/],
    ["a chat's option", { idleTimeoutMs: 1 }, /Unknown option "idleTimeoutMs"/],
    ["an empty key", { apiKey: "" }, /^apiKey must be/],
    ["an address with a key", { baseURL: "https://user:secret@example.com" }, /^baseURL must be/],
    ["a model out of its place", { model: "../secrets" }, /^model must be the id of a model/],
    ["vectors of nothing", { dimensions: 0 }, /^dimensions must be/],
    ["endless time", { timeoutMs: Infinity }, /^timeoutMs must be/],
    ["no logger", { logger: {} }, /^logger must be/],
  ])("refuses %s where it is given", (_, options, message) => {
    const make = () => googleEmbeddings(options as object);

    expect(make).toThrow(expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(message) }));
  });
});
