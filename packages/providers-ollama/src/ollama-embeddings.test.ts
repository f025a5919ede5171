import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { checkConformance, embeddingProviderCases } from "@troupe/core/testing";
import type { EmbeddingProviderSubject } from "@troupe/core/testing";
import { Ollama } from "ollama";
import { describe, expect, it } from "vitest";
import { bodiesOf, startVendor } from "../test/vendor.ts";
import { ollamaEmbeddings } from "./index.ts";

const model = "nomic-embed-text";

type Subject = EmbeddingProviderSubject & { vendor: FakeVendor };

describe.each([
  ["our own HTTP", (baseURL: string) => ollamaEmbeddings(model, { baseURL })],
  ["the caller's client", (host: string) => ollamaEmbeddings(model, { client: new Ollama({ host }) })],
])("ollamaEmbeddings over %s [ollama.embeddings]", (_, connect) => {
  const create = async (): Promise<Subject> => {
    const vendor = await FakeVendor.start({ strict: true, dimensions: 32 });
    return { vendor, embeddings: connect(vendor.url), requestCount: () => vendor.exchanges.length };
  };

  checkConformance(it, embeddingProviderCases, { create, dispose: ({ vendor }) => vendor.close() });
});

describe("ollamaEmbeddings", () => {
  it("asks for an error in place of a cut text, in batches, and for shorter vectors", async () => {
    const { vendor } = await startVendor({ dimensions: 8 });
    const embeddings = ollamaEmbeddings(model, { baseURL: vendor.url, dimensions: 8 });
    const texts = Array.from({ length: 65 }, (_, index) => `text ${index}`);

    expect(await embeddings.embedBatch(texts)).toHaveLength(65);
    expect(bodiesOf(vendor)).toMatchObject([
      { model, truncate: false, dimensions: 8, input: texts.slice(0, 64) },
      { input: ["text 64"] },
    ]);
  });

  const answering = (body: object, status = 200) =>
    ollamaEmbeddings(model, { fetch: async () => new Response(JSON.stringify(body), { status }) });

  it("tells the name of its model with the tag that the server takes [embedding.model-id]", () => {
    const nameOf = (given: string) => ollamaEmbeddings(given).modelId;

    expect(nameOf("nomic-embed-text")).toBe("nomic-embed-text:latest");
    expect(nameOf("nomic-embed-text:v1.5")).toBe("nomic-embed-text:v1.5");
    expect(nameOf("host:5000/library/bge-m3")).toBe("host:5000/library/bge-m3:latest");
  });

  it("says how to get a missing model", async () => {
    await expect(answering({ error: "model not found" }, 404).embed("a")).rejects.toMatchObject({
      message: expect.stringContaining(`ollama pull ${model}`),
    });
  });

  it.each([
    ["too few", { embeddings: [] }],
    ["no numbers", { embeddings: [["a"]] }],
    ["nothing", {}],
  ])("fails for vectors that are %s", async (_, body) => {
    await expect(answering(body).embed("a")).rejects.toMatchObject({
      code: "model_failed",
      message: "ollama sent vectors of another number or length than was asked for.",
    });
  });

  it("refuses unknown options and a blank model", () => {
    expect(() => ollamaEmbeddings(model, { size: 3 } as object)).toThrow(/Unknown option "size" of ollamaEmbeddings/);
    expect(() => ollamaEmbeddings(" ")).toThrow(/^model must be/);
  });
});
