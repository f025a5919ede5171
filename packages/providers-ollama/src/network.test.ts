import { Ollama } from "ollama";
import { describe, expect, it, vi } from "vitest";
import { bodiesOf, gather, startVendor } from "../test/vendor.ts";
import { ollama } from "./index.ts";
import type { OllamaOptions } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];

async function startClient() {
  const { vendor } = await startVendor();
  const client = new Ollama({ host: vendor.url, headers: { authorization: "Bearer key-of-client" } });
  return { vendor, model: ollama("qwen3:8b", { client }) };
}

describe("the caller's client [provider.client]", () => {
  it("carries requests with the same bodies as our own HTTP", async () => {
    const { vendor, model } = await startClient();
    const own = ollama("qwen3:8b", { baseURL: vendor.url });
    vendor.say({ thinking: "Hm.", text: "Yes." }, { thinking: "Hm.", text: "Yes." });
    const options = { reasoning: { enabled: true }, temperature: 0.5 };

    const [{ text, thinking }, same] = [await model.generate(ask, options), await own.generate(ask, options)];

    expect({ text, thinking }).toEqual({ text: same.text, thinking: same.thinking });
    expect(bodiesOf(vendor)[0]).toEqual(bodiesOf(vendor)[1]);
    expect(vendor.exchanges[0]?.key).toBe("key-of-client");
  });

  it.each(["before-headers", { afterBytes: 20 }] as const)("ends when the signal aborts, silent %j", async (at) => {
    const { vendor, model } = await startClient();
    vendor.plan({ answer: "never heard", delivery: { fault: { kind: "hang", at } } });
    const abort = new AbortController();

    const streaming = gather(model.stream(ask, { signal: abort.signal }));
    await expect.poll(() => vendor.exchanges[0]?.end).toBe("open");
    abort.abort();

    expect((await streaming).error).toMatchObject({ code: "cancelled" });
  });

  it("ends the request when the stream is left early", async () => {
    const { vendor, model } = await startClient();
    vendor.plan({ answer: { text: ["one", "two", "three"] }, delivery: { pieceDelayMs: 50 } });

    for await (const chunk of model.stream(ask)) if (chunk.type === "text") break;

    await expect.poll(() => vendor.exchanges[0]?.end).toBe("abandoned");
  });

  it("fails with the same advice, and learns that a model does not think", async () => {
    const { vendor, model } = await startClient();
    vendor.plan(
      { failure: { status: 404, message: "model not found" } },
      { failure: { status: 400, message: '"m" does not support thinking' } },
      { answer: "Yes." },
    );

    await expect(model.generate(ask)).rejects.toMatchObject({
      message: expect.stringContaining("ollama pull qwen3:8b"),
    });
    expect((await model.generate(ask, { reasoning: { enabled: true } })).text).toBe("Yes.");
  });
});

describe("options of the network", () => {
  it("reach an Ollama server behind a gateway, with its header and a token [provider.network] [provider.key-function]", async () => {
    const { vendor } = await startVendor();
    vendor.say("Yes.");
    const send = vi.fn<typeof fetch>(fetch);
    const options: OllamaOptions = { headers: { "x-gateway": "on" }, fetch: send, apiKey: async () => "token-1" };

    await ollama("qwen3:8b", { baseURL: vendor.url, ...options }).generate(ask);

    expect(vendor.exchanges[0]).toMatchObject({ key: "token-1", request: { headers: { "x-gateway": "on" } } });
    expect(send).toHaveBeenCalledOnce();
  });

  it("are refused beside a client", () => {
    const client = { chat: async () => ({}) };

    expect(() => ollama("qwen3:8b", { client, proxy: "http://b", baseURL: "http://a" })).toThrow(
      /^baseURL, proxy would have no effect beside client/,
    );
  });
});
