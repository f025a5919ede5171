import { FakeEmbeddings } from "@troupe/core/testing";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { VendorAnswer } from "./dialect.ts";
import { FakeVendor } from "./fake-vendor.ts";
import { createAnthropicClient } from "./sdk/anthropic-client.ts";
import { createGoogleClient, createVertexClient } from "./sdk/google-clients.ts";
import { createOllamaClient } from "./sdk/ollama-client.ts";
import { createChatClient, createResponsesClient } from "./sdk/openai-clients.ts";
import type { SdkClient, SdkSetup } from "./sdk/sdk-client.ts";

const clients: [string, (setup: SdkSetup) => SdkClient][] = [
  ["openai's chat", createChatClient],
  ["openai's responses", createResponsesClient],
  ["anthropic's messages", createAnthropicClient],
  ["google's gemini", createGoogleClient],
  ["google's gemini on the cloud platform", createVertexClient],
  ["ollama's chat", createOllamaClient],
];

const toolCalls = [
  { name: "get_weather", arguments: { city: "Paris", days: 2 } },
  { name: "get_weather", arguments: { city: "Oslo" } },
];
const usage = { promptTokens: 125, completionTokens: 60, totalTokens: 185, reasoningTokens: 20, cachedTokens: 100 };
const answer: VendorAnswer = { thinking: "Which city? Both.", text: "Let me see. ☔", toolCalls, usage };

describe.each(clients)("the library of %s", (_, connect) => {
  let vendor: FakeVendor;
  let client: SdkClient;

  beforeEach(async () => {
    vendor = await FakeVendor.start({ strict: true, dimensions: 8 });
    client = connect({ url: vendor.url, key: "key-1" });
  });
  afterEach(() => vendor.close());

  it.each(["whole", "streamed"] as const)("reads a %s answer of thinking, text, two calls and usage", async (form) => {
    vendor.say(answer);

    const received = await client[form]();

    expect(received).toEqual({
      text: "Let me see. ☔",
      thinking: "Which city? Both.",
      calls: toolCalls.map((call) => expect.objectContaining(call) as unknown),
      usage: { promptTokens: 125, completionTokens: 60 },
    });
    expect(vendor.exchanges).toMatchObject([{ key: "key-1", billed: usage, route: { stream: form === "streamed" } }]);
    await expect.poll(() => vendor.exchanges[0]?.end).toBe("completed");
    vendor.assertDone();
  });

  it.each([
    ["one byte at a time", { pieceBytes: 1 }],
    ["cut in odd places", { splitAt: [1, 40, 41, 203] }],
  ])("reads a stream %s", async (_title, delivery) => {
    vendor.plan({ answer, delivery });

    expect(await client.streamed()).toMatchObject({ text: "Let me see. ☔", calls: [{}, {}] });
  });

  it.each([400, 403, 404, 429, 500, 503, 529])("reads a failure of status %i", async (status) => {
    vendor.plan({ failure: { status, retryAfterSeconds: 7 } });

    const error: unknown = await client.whole().catch((thrown: unknown) => thrown);

    const retryAfter = client.name === "ollama" ? undefined : "7";
    expect(client.readError(error)).toEqual({ status, retryAfter });
    expect(vendor.exchanges[0]?.billed).toBeUndefined();
  });

  it("reads a failure in the middle of a stream", async () => {
    vendor.plan({ failure: { status: 529, message: "Overloaded now" }, afterAnswer: "Hel" });

    await expect(client.streamed()).rejects.toThrow(/Overloaded now/);
    expect(vendor.exchanges[0]).toMatchObject({ billed: { totalTokens: 15 } });
  });

  it("reads a failure after an answer as an error response when it does not stream", async () => {
    vendor.plan({ failure: { status: 503 }, afterAnswer: "Hel" });

    const error: unknown = await client.whole().catch((thrown: unknown) => thrown);

    expect(client.readError(error).status).toBe(503);
  });

  it("leaves in the middle of a stream, which the vendor records", async () => {
    vendor.plan({ answer: "one two three", delivery: { pieceDelayMs: 60_000 } });
    const abort = new AbortController();

    const reading = client.open(abort.signal).catch(() => undefined);
    await expect.poll(() => vendor.exchanges.length).toBe(1);
    abort.abort();

    await expect.poll(() => vendor.exchanges[0]?.end).toBe("abandoned");
    expect(vendor.exchanges[0]?.billed).toEqual({ promptTokens: 10, completionTokens: 5, totalTokens: 15 });
    await reading;
  });

  it("fails when the connection is reset", async () => {
    vendor.plan({ answer, delivery: { fault: { kind: "reset", at: { afterBytes: 100 } } } });

    await expect(client.streamed()).rejects.toThrow(/terminated/);
    await expect.poll(() => vendor.exchanges[0]?.end).toBe("broken");
  });
});

describe.each(clients.filter(([, connect]) => connect({ url: "http://127.0.0.1", key: "k" }).embed !== undefined))(
  "%s",
  (_, connect) => {
    it("embeds each string in its place", async () => {
      const vendor = await FakeVendor.start({ strict: true, dimensions: 8 });
      onTestFinished(() => vendor.close());
      const texts = ["a text", "another"];

      const vectors = await connect({ url: vendor.url, key: "key-1" }).embed?.(texts);

      const expected = await new FakeEmbeddings({ dimensions: 8 }).embedBatch(texts);
      expect(vectors?.map(rounded)).toEqual(expected.map(rounded));
      expect(vendor.exchanges[0]).toMatchObject({ route: { kind: "embeddings" }, key: "key-1" });
    });
  },
);

function rounded(vector: readonly number[]): string[] {
  return vector.map((value) => value.toFixed(5));
}
