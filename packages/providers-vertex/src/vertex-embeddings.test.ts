import { GoogleGenAI } from "@google/genai";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { checkConformance, embeddingProviderCases } from "@troupe/core/testing";
import type { EmbeddingProviderSubject } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { bodiesOf, inProject, startVendor } from "../test/vendor.ts";
import { vertex, vertexEmbeddings } from "./index.ts";
import type { VertexEmbeddingsOptions } from "./index.ts";

type Subject = EmbeddingProviderSubject & { vendor: FakeVendor };

/** The real client, in the project of `inProject`. */
function clientOf(vendor: FakeVendor): GoogleGenAI {
  const authClient = { getRequestHeaders: async () => new Headers({ authorization: "Bearer token-1" }) };
  const { project = "", location = "" } = inProject();
  const googleAuthOptions = { authClient } as unknown as Record<string, never>;
  const place = { enterprise: true, project, location, apiVersion: "v1beta1" };
  return new GoogleGenAI({ ...place, googleAuthOptions, httpOptions: { baseUrl: vendor.url } });
}

describe.each([
  ["older models", { model: "text-embedding-005" }],
  ["the first Gemini model", { model: "gemini-embedding-001", dimensions: 32 }],
  ["newer models", { model: "gemini-embedding-2" }],
])("embeddings of %s [vertex.embeddings]", (_, options: VertexEmbeddingsOptions) => {
  const create = async (): Promise<Subject> => {
    const vendor = await FakeVendor.start({
      strict: true,
      dimensions: options.model === "text-embedding-005" ? 768 : 32,
    });
    const embeddings = vertexEmbeddings({ ...inProject(), baseURL: vendor.url, ...options });
    return { vendor, embeddings, requestCount: () => vendor.exchanges.length };
  };
  checkConformance(it, embeddingProviderCases, { create, dispose: ({ vendor }) => vendor.close() });
});

describe("vertexEmbeddings", () => {
  it("asks for the default model in its project, one text at a time [vertex.embeddings] [embedding.model-id]", async () => {
    const { vendor } = await startVendor({ dimensions: 3072 });
    const embeddings = vertexEmbeddings({ ...inProject(), baseURL: vendor.url });

    expect([embeddings.providerId, embeddings.dimensions]).toEqual(["vertex", 3072]);
    expect(embeddings.modelId).toBe("gemini-embedding-001");
    expect(await embeddings.embedBatch(["rain", "sun"])).toHaveLength(2);
    expect(vendor.exchanges.map(({ request }) => request.url)).toEqual(
      Array(2).fill(
        "/v1beta1/projects/troupe-1/locations/europe-north1/publishers/google/models/gemini-embedding-001:predict",
      ),
    );
    expect(vendor.exchanges[0]?.request.headers["authorization"]).toBe("Bearer token-1");
    expect(bodiesOf(vendor).map(({ instances }) => instances)).toEqual([[{ content: "rain" }], [{ content: "sun" }]]);
  });

  it("sends up to 250 texts, or 20,000 characters, of an older model at once [vertex.embeddings]", async () => {
    const { vendor } = await startVendor({ dimensions: 768 });
    const embeddings = vertexEmbeddings({ ...inProject(), baseURL: vendor.url, model: "text-embedding-005" });

    await embeddings.embedBatch(Array.from({ length: 300 }, (_, index) => `text ${index}`));
    await embeddings.embedBatch(["x".repeat(15_000), "y".repeat(15_000)]);

    const counts = bodiesOf(vendor).map(({ instances }) => (instances as object[]).length);
    expect(counts).toEqual([250, 50, 1, 1]);
  });

  it.each(["", "publishers/google/models/", "google/"])(
    "calls the first Gemini model for a prediction, as it is named with %j before its id [vertex.embeddings]",
    async (before) => {
      const { vendor } = await startVendor({ dimensions: 32 });
      const options = { ...inProject(), baseURL: vendor.url, dimensions: 32 };
      for (const id of ["gemini-embedding-001", "gemini-embedding-2"])
        await vertexEmbeddings({ ...options, model: `${before}${id}` }).embedBatch(["rain"]);

      expect(vendor.exchanges.map(({ request }) => /:\w+$/.exec(request.url)?.[0])).toEqual([
        ":predict",
        ":embedContent",
      ]);
    },
  );

  it.each(["gemini-embedding-001", "text-embedding-005", "gemini-embedding-2"])(
    "sends for %s what the SDK sends, and takes it as a client [vertex.embeddings] [provider.client]",
    async (model) => {
      const { vendor } = await startVendor({ dimensions: 32 });
      const own = vertexEmbeddings({ ...inProject(), baseURL: vendor.url, model, dimensions: 32 });
      const theirs = vertexEmbeddings({ client: clientOf(vendor), model, dimensions: 32 });

      expect(await theirs.embedBatch(["rain"])).toEqual(await own.embedBatch(["rain"]));

      const [first, second] = vendor.exchanges.map(({ request }) => ({ url: request.url, body: request.body }));
      expect(second).toEqual(first);
    },
  );

  it.each<[string, unknown, RegExp]>([
    ["an unknown option", { idleTimeoutMs: 1 }, /Unknown option "idleTimeoutMs" of vertexEmbeddings/],
    ["a model that is none", { model: "../x" }, /^model must be the id of a model/],
    ["vectors of nothing", { dimensions: 0 }, /^dimensions must be/],
    [
      "credentials and a key",
      { ...inProject(), apiKey: "k" },
      /vertexEmbeddings takes credentials or apiKey, not both/,
    ],
  ])("refuses %s where it is given", (_, options, message) => {
    const make = () => vertexEmbeddings(options as object);

    expect(make).toThrow(expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(message) }));
  });
});

it("a model over the client of the SDK sends what our own HTTP sends [provider.client]", async () => {
  const { vendor, connect } = await startVendor();
  vendor.respond(() => ({ answer: "Yes." }));
  const ask = [
    { role: "system" as const, content: "Be short." },
    { role: "user" as const, content: "Umbrella?" },
  ];

  await connect().generate(ask);
  const { text } = await vertex("gemini-3.8-flash", { client: clientOf(vendor) }).generate(ask);

  expect(text).toBe("Yes.");
  const [first, second] = vendor.exchanges.map(({ request }) => ({ url: request.url, body: request.body }));
  expect(second).toEqual(first);
});
