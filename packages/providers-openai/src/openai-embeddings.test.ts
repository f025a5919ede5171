import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { checkConformance, embeddingProviderCases } from "@troupe/core/testing";
import type { EmbeddingProviderSubject } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { openaiEmbeddings } from "./index.ts";
import { failureOf, lastBody, startVendor } from "../test/ask.ts";

type Subject = EmbeddingProviderSubject & { vendor: FakeVendor };

async function create(): Promise<Subject> {
  const vendor = await FakeVendor.start({ strict: true, dimensions: 32 });
  const embeddings = openaiEmbeddings({ apiKey: "sk-test-key", baseURL: `${vendor.url}/v1`, dimensions: 32 });
  return { vendor, embeddings, requestCount: () => vendor.exchanges.length };
}

describe("embeddings of OpenAI [openai.embeddings]", () => {
  checkConformance(it, embeddingProviderCases, { create, dispose: ({ vendor }) => vendor.close() });

  it("ask for the default model in the vendor's words [openai.embeddings-default]", async () => {
    const vendor = await startVendor();
    await openaiEmbeddings({ apiKey: "sk-test-key", baseURL: `${vendor.url}/v1` }).embed("rain");

    expect(vendor.exchanges[0]).toMatchObject({ key: "sk-test-key", request: { url: "/v1/embeddings" } });
    expect(lastBody(vendor)).toEqual({ model: "text-embedding-3-small", input: ["rain"], encoding_format: "base64" });
  });

  it("ask for another model, of another length, when told", async () => {
    const vendor = await startVendor({ dimensions: 8 });
    const config = { apiKey: "sk-1", baseURL: `${vendor.url}/v1`, model: "text-embedding-3-large", dimensions: 8 };
    await openaiEmbeddings(config).embed("rain", { apiKey: "sk-2" });

    expect(vendor.exchanges[0]?.key).toBe("sk-2");
    expect(lastBody(vendor)).toMatchObject({ model: "text-embedding-3-large", dimensions: 8 });
  });

  it("know the length of the vendor's own models, and of no others", () => {
    expect(openaiEmbeddings().dimensions).toBe(1536);
    expect(openaiEmbeddings({ model: "text-embedding-3-large" }).dimensions).toBe(3072);
    expect(openaiEmbeddings({ dimensions: 256 }).dimensions).toBe(256);
    expect(openaiEmbeddings({ model: "other" }).dimensions).toBeUndefined();
    expect(openaiEmbeddings({ baseURL: "http://127.0.0.1:1/v1" }).dimensions).toBeUndefined();
    expect(openaiEmbeddings().providerId).toBe("openai");
  });

  it("tell the name of their model [embedding.model-id]", () => {
    expect(openaiEmbeddings().modelId).toBe("text-embedding-3-small");
    expect(openaiEmbeddings({ model: "text-embedding-3-large" }).modelId).toBe("text-embedding-3-large");
  });

  it("refuse vectors of another length than was asked for", async () => {
    const vendor = await startVendor({ dimensions: 16 });
    const embeddings = openaiEmbeddings({ apiKey: "sk-1", baseURL: `${vendor.url}/v1`, dimensions: 8 });

    expect(await failureOf(embeddings.embed("rain"))).toMatchObject({
      code: "model_failed",
      message: "openai sent vectors of another number or length than was asked for.",
    });
  });

  it("name the text that is empty", async () => {
    const error = await failureOf(openaiEmbeddings({ apiKey: "sk-1" }).embedBatch(["rain", ""]));

    expect(error).toMatchObject({ code: "invalid_value", message: expect.stringContaining("text 1") });
  });

  it("refuse a key that no header could carry, before the vendor is asked", async () => {
    expect(await failureOf(openaiEmbeddings({ apiKey: "sk-1" }).embed("rain", { apiKey: "" }))).toMatchObject({
      code: "invalid_request",
    });
  });
});
