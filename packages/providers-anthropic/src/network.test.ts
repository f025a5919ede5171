import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bodiesOf, gather, startVendor } from "../test/vendor.ts";
import { anthropic } from "./index.ts";
import type { AnthropicOptions } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];

/** A gateway before the vendor that asks for a header of its own. */
async function startGateway(vendorUrl: string, name: string, value: string) {
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const bytes of request) body += String(bytes);
      if (request.headers[name] !== value) {
        response.writeHead(401, { "content-type": "application/json" }).end(`{"error":{"message":"${value}"}}`);
        return;
      }
      const { authorization = "", "anthropic-version": version = "" } = request.headers;
      const headers = { authorization, "anthropic-version": String(version), "content-type": "application/json" };
      const reply = await fetch(vendorUrl + request.url, { method: "POST", headers, body });
      response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" });
      response.end(await reply.text());
    })();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a gateway", () => {
  it("gets its own header beside the key [provider.network]", async () => {
    const { vendor } = await startVendor();
    const baseURL = await startGateway(vendor.url, "x-gateway-token", "canary-gateway");
    vendor.say("Yes.", "Yes.");
    const connect = (headers: AnthropicOptions["headers"]) =>
      anthropic("claude-opus-5-5", { apiKey: "key-1", baseURL, headers });

    expect((await connect({ "X-Gateway-Token": "canary-gateway" }).generate(ask)).text).toBe("Yes.");
    expect((await connect(async () => ({ "x-gateway-token": "canary-gateway" })).generate(ask)).text).toBe("Yes.");
    const { error } = await gather(connect({ "x-gateway-token": "canary-other" }).stream(ask));
    expect(error).toMatchObject({ code: "model_failed", status: 401 });
    expect(String((error as Error).cause)).not.toContain("canary");
  });
});

describe("a token in place of a key [provider.key-function]", () => {
  it("is asked for before each model call of a run, since it may expire between two", async () => {
    const { vendor } = await startVendor();
    vendor.plan({ answer: { toolCalls: [{ name: "look", arguments: {} }] } }, { answer: "Done." });
    let count = 0;
    const long = "t".repeat(4096);
    const apiKey = vi.fn<() => Promise<string>>(async () => `${long}-${++count}`);
    const model = anthropic("claude-opus-5-5", { apiKey, baseURL: vendor.url });
    const look = { name: "look", description: "Looks.", parameters: {}, execute: async () => "seen" };

    const { text } = await new Agent({ name: "a", model, tools: [look] }).run("Look.");

    expect(text).toBe("Done.");
    expect(vendor.exchanges.map(({ key }) => key)).toEqual([`${long}-1`, `${long}-2`]);
    expect(apiKey).toHaveBeenCalledTimes(2);
  });

  it("is not asked for where the call has a key", async () => {
    const { vendor } = await startVendor();
    vendor.say("Yes.");
    const apiKey = vi.fn<() => string>(() => "token");

    await anthropic("claude-opus-5-5", { apiKey, baseURL: vendor.url }).generate(ask, { apiKey: "key-of-call" });

    expect(vendor.exchanges[0]?.key).toBe("key-of-call");
    expect(apiKey).not.toHaveBeenCalled();
  });

  it("is hidden in errors", async () => {
    const { vendor } = await startVendor();
    vendor.plan({ failure: { status: 400, message: "canary-token-7 is not welcome" } });
    const model = anthropic("claude-opus-5-5", { apiKey: () => "canary-token-7", baseURL: vendor.url });

    const { error } = await gather(model.stream(ask));

    expect(String((error as Error).cause)).toContain("is not welcome");
    expect(String((error as Error).cause)).not.toContain("canary");
  });
});

describe("the caller's client [provider.client]", () => {
  async function startClient(more: AnthropicOptions = {}) {
    const { vendor } = await startVendor();
    const client = new Anthropic({ apiKey: "key-of-client", baseURL: vendor.url, maxRetries: 5 });
    return { vendor, client, model: anthropic("claude-opus-5-5", { client, ...more }) };
  }

  it("carries whole answers and streams with the same bodies as our own HTTP", async () => {
    const { vendor, model } = await startClient();
    const own = anthropic("claude-opus-5-5", { apiKey: "key-1", baseURL: vendor.url });
    const answer = { thinking: "Hm.", text: "Yes." };
    vendor.plan({ answer }, { answer }, { answer }, { answer });
    const options = { reasoning: { enabled: true }, stop: ["END"], maxTokens: 2000 };

    const [whole, ownWhole] = [await model.generate(ask, options), await own.generate(ask, options)];
    const [streamed, ownStreamed] = [await gather(model.stream(ask, options)), await gather(own.stream(ask, options))];

    expect(whole).toMatchObject({ text: "Yes.", thinking: "Hm." });
    expect({ ...whole, responseId: "", vendorState: "" }).toEqual({ ...ownWhole, responseId: "", vendorState: "" });
    expect(streamed.error).toBeUndefined();
    expect(streamed.chunks.slice(0, -1)).toEqual(ownStreamed.chunks.slice(0, -1));
    const [first, second, third, fourth] = bodiesOf(vendor);
    expect({ ...first, stream: false }).toEqual(second);
    expect(third).toEqual(fourth);
    expect(vendor.exchanges.map(({ key }) => key)).toEqual(["key-of-client", "key-1", "key-of-client", "key-1"]);
  });

  it("runs tools in an agent", async () => {
    const { vendor, model } = await startClient();
    vendor.plan({ answer: { toolCalls: [{ name: "look", arguments: { at: 1 } }] } }, { answer: "Done." });
    const seen: unknown[] = [];
    const execute = async (args: unknown) => {
      seen.push(args);
      return "seen";
    };
    const look = { name: "look", description: "Looks.", parameters: {}, execute };

    expect((await new Agent({ name: "a", model, tools: [look] }).run("Look.")).text).toBe("Done.");
    expect(seen).toEqual([{ at: 1 }]);
  });

  it("ends the client's request when the stream is left early, or its signal aborts", async () => {
    const { vendor, model } = await startClient();
    const slow = { answer: { text: ["one", "two", "three"] }, delivery: { pieceDelayMs: 50 } };
    vendor.plan(slow, slow);
    const abort = new AbortController();

    for await (const chunk of model.stream(ask)) if (chunk.type === "text") break;
    await expect.poll(() => vendor.exchanges[0]?.end).toBe("abandoned");
    const streaming = gather(model.stream(ask, { signal: abort.signal }));
    await expect.poll(() => vendor.exchanges[1]?.end).toBe("open");
    abort.abort();

    expect((await streaming).error).toMatchObject({ code: "cancelled" });
    await expect.poll(() => vendor.exchanges[1]?.end).toBe("abandoned");
  });

  it("fails once and like our own HTTP: the run retries, not the client", async () => {
    const { vendor, model } = await startClient();
    const failure = { status: 429, retryAfterSeconds: 3 };
    vendor.plan(
      { failure },
      { failure },
      { transcript: "anthropic-error.sse" },
      { transcript: "anthropic-truncated.sse" },
    );
    const limited = { name: "ModelError", code: "rate_limited", status: 429, retryAfterMs: 3000 };

    await expect(model.generate(ask)).rejects.toMatchObject(limited);
    expect((await gather(model.stream(ask))).error).toMatchObject(limited);
    expect((await gather(model.stream(ask))).error).toMatchObject({ code: "model_failed", name: "ModelError" });
    expect((await gather(model.stream(ask))).error).toMatchObject({ networkCode: "ECONNRESET" });
    expect(vendor.exchanges).toHaveLength(4);
  });

  it("needs no key, and takes one of the call, for that call alone", async () => {
    const { vendor, model } = await startClient();
    vendor.say("One.", "Two.", "Three.");
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    onTestFinished(() => void vi.unstubAllEnvs());

    await model.generate(ask);
    await model.generate(ask, { apiKey: "key-of-call" });
    await model.generate(ask);

    expect(vendor.exchanges.map(({ key }) => key)).toEqual(["key-of-client", "key-of-call", "key-of-client"]);
  });

  it.each<[string, object, RegExp]>([
    ["a key", { apiKey: "k" }, /^apiKey would have no effect beside client/],
    ["an address and a proxy", { baseURL: "http://a", proxy: "http://b" }, /^baseURL, proxy would have no effect/],
    [
      "another client",
      { client: { chat: {} } },
      /^client must be a client of @anthropic-ai\/sdk, with messages.create/,
    ],
  ])("is refused with %s", (_, options, message) => {
    const client = { messages: { create: async () => ({}) } };

    expect(() => anthropic("claude-opus-5-5", { client, ...options })).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(message) }),
    );
  });

  it("may give a plain async generator, as an instrumentation does, or a whole answer for a stream", async () => {
    const events = [
      { type: "message_start", message: { id: "m", model: "c" } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "Yes." } },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ];
    async function* generate() {
      yield* events;
    }
    const message = { type: "message", content: [{ type: "text", text: "Whole." }], stop_reason: "end_turn" };
    const texts = [];
    for (const result of [generate(), message]) {
      const client = { messages: { create: async () => result } };
      const { chunks, error } = await gather(anthropic("claude-opus-5-5", { client }).stream(ask));
      texts.push(chunks[0], error);
    }

    expect(texts).toEqual([{ type: "text", text: "Yes." }, undefined, { type: "text", text: "Whole." }, undefined]);
  });
});
