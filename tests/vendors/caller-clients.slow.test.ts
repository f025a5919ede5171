import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { dumpStorage } from "@troupe-internal/run-checker";
import { CanarySearch, FakeVendor } from "@troupe-internal/vendor-fakes";
import type { PlannedReply } from "@troupe-internal/vendor-fakes";
import { Agent, createLogger, EventBus, InMemoryStorage } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { createAgentRouter, errorHandler, requestLogger } from "@troupe/http";
import { anthropic } from "@troupe/providers-anthropic";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";
import { vertex } from "@troupe/providers-vertex";
import express from "express";
import { Ollama } from "ollama";
import OpenAI, { AzureOpenAI } from "openai";
import { describe, expect, it, onTestFinished, vi } from "vitest";

const apiKey = "sk-canary-5b20d7e1c4-client";
const question = [{ role: "user" as const, content: "Umbrella?" }];

/** A model over each library's client, for the URL of a vendor and the silence that ends a stream. */
const models: Readonly<Record<string, (url: string, idleTimeoutMs?: number) => ModelProvider>> = {
  "OpenAI over Chat Completions": (url, idle) => overOpenAI(new OpenAI({ apiKey, baseURL: `${url}/v1` }), "chat", idle),
  "OpenAI over Responses": (url, idle) => overOpenAI(new OpenAI({ apiKey, baseURL: `${url}/v1` }), "responses", idle),
  AzureOpenAI: (url, idle) => overOpenAI(azureClient(url), "chat", idle),
  Anthropic: (baseURL, idle) =>
    anthropic("claude-opus-5-5", { client: new Anthropic({ apiKey, baseURL }), ...silence(idle) }),
  "Anthropic with a token": (baseURL, idle) =>
    anthropic("claude-opus-5-5", { client: new Anthropic({ authToken: apiKey, baseURL }), ...silence(idle) }),
  GoogleGenAI: (baseUrl, idle) =>
    google("gemini-3.8-flash", {
      client: new GoogleGenAI({ apiKey, enterprise: false, httpOptions: { baseUrl } }),
      ...silence(idle),
    }),
  "GoogleGenAI on Google Cloud": (baseUrl, idle) =>
    vertex("gemini-3.8-flash", { client: cloudClient(baseUrl), ...silence(idle) }),
  Ollama: (host, idle) =>
    ollama("qwen3:8b", {
      client: new Ollama({ host, headers: { authorization: `Bearer ${apiKey}` } }),
      ...silence(idle),
    }),
};

const silence = (idleTimeoutMs: number | undefined): { idleTimeoutMs?: number } =>
  idleTimeoutMs === undefined ? {} : { idleTimeoutMs };

function overOpenAI(client: OpenAI, api: "chat" | "responses", idle: number | undefined): ModelProvider {
  return openai(api === "chat" ? "gpt-4.1" : "gpt-6.1-sol", { client, api, ...silence(idle) });
}

/** Azure's client, whose addresses and key header the vendor does not know. */
function azureClient(url: string): AzureOpenAI {
  const send = async (_: unknown, { headers, ...init }: RequestInit = {}) => {
    const key = new Headers(headers).get("api-key");
    return await fetch(`${url}/v1/chat/completions`, {
      ...init,
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    });
  };
  return new AzureOpenAI({ endpoint: "https://r.openai.azure.com", apiVersion: "2026-01-01", apiKey, fetch: send });
}

/** Google's client on Google Cloud. The credentials hold their token where no one can read it. */
function cloudClient(baseUrl: string): GoogleGenAI {
  const authClient = { getRequestHeaders: async () => new Headers({ authorization: `Bearer ${apiKey}` }) };
  const googleAuthOptions = { authClient } as unknown as Record<string, never>;
  return new GoogleGenAI({
    enterprise: true,
    project: "p",
    location: "global",
    googleAuthOptions,
    httpOptions: { baseUrl },
  });
}

/** Wraps an object and all that is reached from it, as an instrumentation does: promises are plain, and so are streams. */
function instrument<Wrapped extends object>(target: Wrapped, calls: unknown[]): Wrapped {
  return new Proxy(target, {
    get(owner, name) {
      const value: unknown = Reflect.get(owner, name);
      if (typeof value === "function") {
        return async (...given: unknown[]) => {
          calls.push(name);
          return plain(await (Reflect.apply(value, owner, given) as Promise<unknown>));
        };
      }
      return typeof value === "object" && value !== null ? instrument(value, calls) : value;
    },
  });
}

function plain(result: unknown): unknown {
  const isStream = typeof result === "object" && result !== null && Symbol.asyncIterator in result;
  return isStream ? copy(result as AsyncIterable<unknown>) : result;
}

async function* copy(stream: AsyncIterable<unknown>): AsyncGenerator {
  yield* stream;
}

async function startVendor(): Promise<FakeVendor> {
  const vendor = await FakeVendor.start({ strict: true });
  onTestFinished(() => vendor.close());
  return vendor;
}

async function textOf(stream: ReturnType<ModelProvider["stream"]>, texts: string[] = []): Promise<string> {
  for await (const chunk of stream) if (chunk.type === "text") texts.push(chunk.text);
  return texts.join("");
}

describe.each(Object.entries(models))("a model over the client %s", (_, connect) => {
  it("ends a silent stream as a timeout, with its request and socket, and no listener left [provider.client-silence]", async () => {
    const vendor = await startVendor();
    vendor.plan({
      answer: { text: ["One.", "Two."] },
      delivery: { fault: { kind: "hang", at: { afterBytes: 150 } } },
    });
    const { signal } = new AbortController();

    await expect(textOf(connect(vendor.url, 1000).stream(question, { signal }))).rejects.toMatchObject({
      code: "timeout",
      networkCode: "ETIMEDOUT",
    });

    await vi.waitFor(() => expect(vendor.exchanges.map(({ end }) => end)).toEqual(["abandoned"]));
    await vi.waitFor(() => expect(vendor.openConnections).toBe(0));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("ends a request whose answer does not begin as a timeout [provider.client-silence]", async () => {
    const vendor = await startVendor();
    vendor.plan({ answer: "Yes.", delivery: { fault: { kind: "hang", at: "before-headers" } } });
    const model = connect(vendor.url, 1000);
    const isOllama = model.providerId === "ollama";
    const given = isOllama ? ollama("qwen3:8b", { client: new Ollama({ host: vendor.url }), timeoutMs: 1000 }) : model;

    await expect(textOf(given.stream(question))).rejects.toMatchObject({ code: "timeout" });

    // Ollama's library ends no request that the server does not answer.
    const end = isOllama ? "open" : "abandoned";
    await vi.waitFor(() => expect(vendor.exchanges.map((one) => one.end)).toEqual([end]));
  });

  it("shows its key in no answer, log, event or stored record, whatever the vendor says [provider.client-keys]", async () => {
    const vendor = await startVendor();
    const seen: string[] = [];
    const { service, storage } = await serve(connect(vendor.url), seen);

    for (const reply of quotes) {
      vendor.respond(() => reply);
      for (const mode of ["run", "stream"]) seen.push(await exchange(`${service}/agents/a/${mode}`));
    }

    expect(vendor.exchanges.length).toBeGreaterThan(quotes.length);
    expect(vendor.exchanges.every(({ key }) => key === apiKey)).toBe(true);
    seen.push(JSON.stringify(await dumpStorage(storage)));
    expect(seen.join("\n")).toMatch(/model_failed/);
    expect(new CanarySearch([apiKey]).in(seen.join("\n"))).toEqual([]);
  });
});

/** Answers of a vendor, or of a proxy before it, that quote the client's key. */
const quotes: PlannedReply[] = [
  { failure: { status: 400, message: `Bad request for ${apiKey}.` } },
  { failure: { status: 401, message: `Incorrect API key provided: ${apiKey}.` } },
  { failure: { status: 429, message: `Too many requests of ${apiKey}.` } },
  { failure: { status: 500, message: `Failed for Bearer ${apiKey}` } },
  { failure: { status: 500, message: `Lost ${apiKey}.` }, afterAnswer: "Take an" },
  { raw: { status: 502, headers: { "content-type": "text/html" }, frames: [`<h1>${apiKey}</h1>`] } },
  { raw: { status: 200, headers: { "content-type": "application/json" }, frames: [`{"key": "${apiKey}"`] } },
];

/** Serves an agent with full logging and events. */
async function serve(model: ModelProvider, seen: string[]) {
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => seen.push(String(text)) > 0);
  onTestFinished(() => write.mockRestore());
  // What Ollama's library prints itself is not ours to mask.
  for (const name of ["log", "warn"] as const) {
    const printed = vi.spyOn(console, name).mockReturnValue();
    onTestFinished(() => printed.mockRestore());
  }
  const storage = new InMemoryStorage();
  const eventBus = new EventBus();
  for (const name of ["run.start", "run.complete", "run.error", "run.stream.chunk", "model.result"] as const)
    eventBus.on(name, (data) => void seen.push(inspect(data, { depth: 8 })));
  const logger = createLogger({ level: "debug", write: (line) => seen.push(line) });
  const retry = { maxRetries: 0 };
  const agent = new Agent({ name: "a", model, storage, eventBus, retry, logLevel: "debug" });
  const router = createAgentRouter({ agents: { a: agent }, logger });
  const server = createServer(express().use(requestLogger({ logger }), router, errorHandler({ logger })));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  return { service: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, storage };
}

async function exchange(url: string): Promise<string> {
  const body = JSON.stringify({ input: "Umbrella?", sessionId: "s1" });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return inspect([response.status, [...response.headers], await response.text()]);
}

describe("a client that an instrumentation wrapped in a proxy [provider.client]", () => {
  const wrapped: Readonly<Record<string, (url: string, calls: unknown[]) => ModelProvider>> = {
    OpenAI: (url, calls) =>
      openai("gpt-4.1", { client: instrument(new OpenAI({ apiKey, baseURL: `${url}/v1` }), calls), api: "chat" }),
    Anthropic: (baseURL, calls) =>
      anthropic("claude-opus-5-5", { client: instrument(new Anthropic({ apiKey, baseURL }), calls) }),
    GoogleGenAI: (baseUrl, calls) =>
      google("gemini-3.8-flash", {
        client: instrument(new GoogleGenAI({ apiKey, enterprise: false, httpOptions: { baseUrl } }), calls),
      }),
    Ollama: (host, calls) =>
      ollama("qwen3:8b", {
        client: instrument(new Ollama({ host, headers: { authorization: `Bearer ${apiKey}` } }), calls),
      }),
  };

  it.each(Object.entries(wrapped))(
    "carries whole answers and streams, and ends the request of a reader that leaves: %s",
    async (name, connect) => {
      const vendor = await startVendor();
      const calls: unknown[] = [];
      const model = connect(vendor.url, calls);
      vendor.plan(
        { answer: "Yes." },
        { answer: "Yes." },
        { answer: { text: ["one ", "two ", "three"] }, delivery: { pieceDelayMs: 50 } },
        { failure: { status: 500, message: `Lost ${apiKey}.` } },
      );

      expect((await model.generate(question)).text).toBe("Yes.");
      expect(await textOf(model.stream(question))).toBe("Yes.");
      for await (const chunk of model.stream(question)) if (chunk.type === "text") break;
      // Ollama's library ends a request by a method of its stream alone, which the copy has lost.
      const end = name === "Ollama" ? "completed" : "abandoned";
      await vi.waitFor(() => expect(vendor.exchanges[2]?.end).toBe(end));
      const error: unknown = await model.generate(question).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "model_failed", status: 500 });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(apiKey);
      expect(calls).toHaveLength(4);
    },
  );
});
