import { describe, expect, it } from "vitest";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import type { EmbeddingProvider, EmbedOptions } from "./vector/embedding-provider.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import { KnowledgeBase } from "./knowledge-base.ts";
import { toEmbedOptions } from "./knowledge-call-options.ts";

const text = (id: string) => ({ id, content: `content of ${id}` });

describe("the API keys of a call of a knowledge base", () => {
  const canary = "canary-of-openai";

  it("reach the embeddings of their own vendor and no other", async () => {
    const keysOf = async (providerId: string | undefined, call: object) => {
      const { embeddings, keys } = recording(providerId);
      const knowledge = new KnowledgeBase({ name: "a", vectorStore: new InMemoryVectorStore(), embeddings });
      await knowledge.add(text("a"), call);
      await knowledge.addDocuments([text("b")], call);
      await knowledge.search("text", call);
      return new Set(keys);
    };
    const apiKeys = { openai: canary };

    expect(await keysOf("openai", { apiKeys })).toEqual(new Set([canary]));
    expect(await keysOf("google", { apiKeys })).toEqual(new Set([undefined]));
    expect(await keysOf(undefined, { apiKeys })).toEqual(new Set([undefined]));
    expect(await keysOf("vertex", { apiKeys: { google: "g", ...apiKeys } })).toEqual(new Set(["g"]));
    expect(await keysOf("openai", { apiKey: "other", apiKeys })).toEqual(new Set([canary]));
    expect(await keysOf("google", { apiKey: "g", apiKeys })).toEqual(new Set(["g"]));
    expect(await keysOf(undefined, { apiKey: "g", apiKeys })).toEqual(new Set(["g"]));
    await expect(keysOf("openai", { apiKey: "two words" })).rejects.toMatchObject({ code: "invalid_request" });
    await expect(keysOf(undefined, { apiKey: "two words" })).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("the options of an embedding call", () => {
  const { signal } = new AbortController();
  const openai = { providerId: "openai" } as EmbeddingProvider;

  it.each<[object, object]>([
    [{}, {}],
    [{ signal }, { signal }],
    [{ apiKeys: { google: "g" }, signal }, { signal }],
    [{ apiKey: "k" }, { apiKey: "k" }],
    [
      { apiKeys: { openai: "o" }, signal },
      { apiKey: "o", signal },
    ],
  ])("of a call with %j are %j", (call, options) => {
    const made = toEmbedOptions(openai, call);
    expect(made).toEqual(options);
    expect(made.signal).toBe("signal" in call ? signal : undefined);
  });
});

function recording(providerId: string | undefined) {
  const [fake, keys] = [new FakeEmbeddings(), [] as (string | undefined)[]];
  const noted = (options?: EmbedOptions) => (keys.push(options?.apiKey), options);
  const embeddings: EmbeddingProvider = {
    ...(providerId !== undefined && { providerId }),
    embed: async (given, options) => await fake.embed(given, noted(options)),
    embedBatch: async (given, options) => await fake.embedBatch(given, noted(options)),
  };
  return { embeddings, keys };
}

it.each([["openai"], [undefined]])("an API key that cannot be sent is named, for the vendor %s", (providerId) => {
  const embeddings: EmbeddingProvider = {
    embed: async () => await Promise.resolve([]),
    embedBatch: async () => await Promise.resolve([]),
    ...(providerId !== undefined && { providerId }),
  };

  expect(() => toEmbedOptions(embeddings, { apiKey: "two words" })).toThrow(
    expect.objectContaining({
      code: "invalid_request",
      message: "The API key in apiKey must be 1 to 16384 visible ASCII characters without spaces.",
    }),
  );
});
