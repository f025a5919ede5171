import { inspect } from "node:util";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { CanarySearch, FakeVendor } from "@troupe-internal/vendor-fakes";
import { Agent, InMemoryStorage } from "@troupe/core";
import type { EmbeddingProvider, ModelProvider } from "@troupe/core";
import { anthropic } from "@troupe/providers-anthropic";
import { google, googleEmbeddings } from "@troupe/providers-google";
import { ollama, ollamaEmbeddings } from "@troupe/providers-ollama";
import { openai, openaiEmbeddings } from "@troupe/providers-openai";
import { vertex } from "@troupe/providers-vertex";
import { Ollama } from "ollama";
import OpenAI, { AzureOpenAI } from "openai";
import { describe, expect, it, onTestFinished } from "vitest";

const hosts = "sk-canary-11d0a7-of-the-host";
const callers = "sk-canary-22e9b3-of-the-caller";

type Made = { model: ModelProvider; embeddings?: EmbeddingProvider };

/** Clients of a host, each with its own key wherever such a client may have it. */
const clients: Readonly<Record<string, (url: string) => Made>> = {
  OpenAI: (url) => {
    const client = new OpenAI({ apiKey: hosts, baseURL: `${url}/v1`, organization: "org-host", project: "of-host" });
    return { model: openai("gpt-4.1", { client, api: "chat" }), embeddings: openaiEmbeddings({ client }) };
  },
  "OpenAI over Responses, with an admin's key": (url) => ({
    model: openai("gpt-6.1-sol", {
      client: new OpenAI({ apiKey: hosts, adminAPIKey: hosts, baseURL: `${url}/v1` }),
      api: "responses",
    }),
  }),
  "OpenAI with keys among its headers": (url) => {
    const defaultHeaders = { Authorization: `Bearer ${hosts}`, "Api-Key": hosts, "X-API-Key": hosts };
    const client = new OpenAI({ apiKey: async () => hosts, baseURL: `${url}/v1`, defaultHeaders });
    return { model: openai("gpt-4.1", { client, api: "chat" }) };
  },
  Anthropic: (baseURL) => ({
    model: anthropic("claude-opus-5-5", { client: new Anthropic({ apiKey: hosts, baseURL }) }),
  }),
  "Anthropic with a token, and a key among its headers": (baseURL) => ({
    model: anthropic("claude-opus-5-5", {
      client: new Anthropic({ apiKey: null, authToken: hosts, baseURL, defaultHeaders: { "X-Api-Key": hosts } }),
    }),
  }),
  GoogleGenAI: (baseUrl) => {
    const client = new GoogleGenAI({ apiKey: hosts, enterprise: false, httpOptions: { baseUrl } });
    return {
      model: google("gemini-3.8-flash", { client }),
      embeddings: googleEmbeddings({ client, model: "gemini-embedding-001", dimensions: 3 }),
    };
  },
  Ollama: (host) => {
    const client = new Ollama({ host, headers: { Authorization: `Bearer ${hosts}`, "x-tenant": "t" } });
    return { model: ollama("qwen3:8b", { client }), embeddings: ollamaEmbeddings("embeddinggemma", { client }) };
  },
};

async function startVendor(): Promise<FakeVendor> {
  const vendor = await FakeVendor.start({ strict: false });
  onTestFinished(() => vendor.close());
  return vendor;
}

const ask = [{ role: "user" as const, content: "Umbrella?" }];

describe.each(Object.entries(clients))("the key of a call over the client %s", (_name, connect) => {
  it("is sent in the place of the host's, in one header, and the host's with the next call [provider.client-call-keys]", async () => {
    const vendor = await startVendor();
    vendor.respond(() => ({ answer: "Yes." }));
    const { model, embeddings } = connect(vendor.url);

    expect((await model.generate(ask, { apiKey: callers })).text).toBe("Yes.");
    await Array.fromAsync(model.stream(ask, { apiKey: callers }));
    await embeddings?.embed("Rain.", { apiKey: callers });
    const asked = vendor.exchanges.map(({ request }) => inspect(request, { depth: 9, maxStringLength: null }));
    await model.generate(ask);

    for (const request of asked) expect(request.split(callers)).toHaveLength(2);
    expect(asked).toHaveLength(embeddings === undefined ? 2 : 3);
    expect(asked.join("\n")).not.toMatch(/of-the-host|org-host|of-host/);
    expect(inspect(vendor.exchanges.at(-1)?.request)).toContain(hosts);
    expect(inspect(vendor.exchanges.at(-1)?.request)).not.toContain(callers);
  });

  it("is the caller's to mend when the vendor refuses it, and stands in no error [provider.client-call-keys]", async () => {
    const vendor = await startVendor();
    vendor.respond(() => ({ failure: { status: 401, message: `Bad keys: ${callers}, ${hosts}.` } }));
    const agent = new Agent({ name: "a", model: connect(vendor.url).model, storage: new InMemoryStorage() });
    const error: unknown = await agent.run("Hi", { apiKey: callers }).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "unauthorized", fields: { vendor: agent.providerId } });
    expect(new CanarySearch([hosts, callers]).in(inspect(error, { depth: 9, showHidden: true }))).toEqual([]);
  });

  it("is refused when no header can hold it [provider.client-call-keys]", async () => {
    const vendor = await startVendor();
    const call = connect(vendor.url).model.generate(ask, { apiKey: "two words" });

    await expect(call).rejects.toMatchObject({ code: "invalid_request" });
    expect(vendor.exchanges).toEqual([]);
  });
});

/** A client as an instrumentation leaves it: with the methods that are called, and nothing else. */
const bare = (client: OpenAI | Anthropic | GoogleGenAI | Ollama): never =>
  Object.fromEntries(
    ["chat", "responses", "messages", "models"].map((name) => [name, Reflect.get(client, name)]),
  ) as never;

describe("a client with credentials that no key may stand beside", () => {
  const sdk = { apiKey: hosts, baseURL: "http://127.0.0.1:9" };
  const httpOptions = { baseUrl: "http://127.0.0.1:9" };
  it.each<[name: string, model: () => ModelProvider]>([
    [
      "AzureOpenAI",
      () =>
        openai("gpt-4.1", {
          client: new AzureOpenAI({ apiKey: hosts, apiVersion: "v", endpoint: "http://127.0.0.1:9" }),
        }),
    ],
    [
      "GoogleGenAI on Google Cloud",
      () => google("gemini-3.8-flash", { client: new GoogleGenAI({ enterprise: true, apiKey: hosts, httpOptions }) }),
    ],
    [
      "GoogleGenAI on Google Cloud, for vertex",
      () => vertex("gemini-3.8-flash", { client: new GoogleGenAI({ enterprise: true, apiKey: hosts, httpOptions }) }),
    ],
    [
      "GoogleGenAI with a key among its headers",
      () =>
        google("gemini-3.8-flash", {
          client: new GoogleGenAI({
            enterprise: false,
            apiKey: hosts,
            httpOptions: { ...httpOptions, headers: { "X-Goog-Api-Key": hosts } },
          }),
        }),
    ],
    ["a wrapped OpenAI", () => openai("gpt-4.1", { client: bare(new OpenAI(sdk)) })],
    ["a wrapped Anthropic", () => anthropic("claude-opus-5-5", { client: bare(new Anthropic(sdk)) })],
    [
      "a wrapped GoogleGenAI",
      () => google("gemini-3.8-flash", { client: bare(new GoogleGenAI({ apiKey: hosts, enterprise: false })) }),
    ],
    ["a wrapped Ollama", () => ollama("qwen3:8b", { client: { chat: async () => ({}) } })],
  ])("refuses the key of a call, with a sentence: %s [provider.client-call-keys]", async (_name, connect) => {
    const model = connect();

    await expect(model.generate(ask, { apiKey: callers })).rejects.toMatchObject({
      code: "invalid_request",
      message: `${model.providerId} is called through a client with its own key. Send no API key.`,
    });
  });
});
