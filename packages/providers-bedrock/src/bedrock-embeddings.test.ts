import { checkConformance, embeddingProviderCases, FakeEmbeddings } from "@troupe/core/testing";
import type { EmbeddingProviderSubject } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bedrockEmbeddings } from "./index.ts";
import type { BedrockEmbeddingsOptions } from "./index.ts";

const titan = "amazon.titan-embed-text-v2:0";
const titan1 = "amazon.titan-embed-text-v1";
const cohere3 = "cohere.embed-multilingual-v3";
const cohere4 = "us.cohere.embed-v4:0";

type Sent = { url: string; headers: Headers; body: Record<string, unknown> };

/** Makes embeddings whose vendor answers in the words of a family of models. Returns the requests as well. */
function connect(options: BedrockEmbeddingsOptions = {}, answer?: () => Response) {
  const sent: Sent[] = [];
  const fake = new FakeEmbeddings();
  const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const body = JSON.parse(await new Response(init?.body).text()) as Record<string, unknown>;
    sent.push({ url: url.toString(), headers: new Headers(init?.headers), body });
    if (answer !== undefined) return answer();
    const length = (body["dimensions"] ?? body["output_dimension"] ?? 8) as number;
    const texts = (body["texts"] ?? [body["inputText"]]) as string[];
    const vectors = (await fake.embedBatch(texts)).map((vector) =>
      Array.from({ length }, (_, index) => vector[index % vector.length] ?? 0),
    );
    if (body["inputText"] !== undefined) return Response.json({ embedding: vectors[0], inputTextTokenCount: 3 });
    // Version 3 answers with the arrays alone if it is asked for no kind of vectors.
    return Response.json({ embeddings: { float: vectors } });
  };
  const embeddings = bedrockEmbeddings({ apiKey: "key-1", region: "us-east-1", fetch, ...options });
  return { embeddings, sent };
}

describe.each([titan, cohere4])("embeddings of %s", (model) => {
  checkConformance(it, embeddingProviderCases, {
    create: async (): Promise<EmbeddingProviderSubject> => {
      const { embeddings, sent } = connect({ model, dimensions: 256 });
      return await Promise.resolve({ embeddings, requestCount: () => sent.length });
    },
  });
});

describe("embeddings of Bedrock", () => {
  it("ask Titan for one text at a time, by the key of the call", async () => {
    const { embeddings, sent } = connect({ dimensions: 256 });
    await embeddings.embedBatch(["é", "rain"], { apiKey: "key-2" });

    expect(sent.map(({ body }) => body)).toEqual([
      { inputText: "é", dimensions: 256 },
      { inputText: "rain", dimensions: 256 },
    ]);
    expect(sent[0]?.url).toBe(
      "https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.titan-embed-text-v2%3A0/invoke",
    );
    expect(sent.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer key-2", "Bearer key-2"]);
    expect([embeddings.modelId, embeddings.dimensions, embeddings.providerId]).toEqual([titan, 256, "bedrock"]);
  });

  it.each([95, 96, 97])("ask Cohere for at most 96 texts at a time: %i", async (count) => {
    const { embeddings, sent } = connect({ model: cohere4, dimensions: 256 });
    const texts = Array.from({ length: count }, (_, index) => `text ${index}`);

    expect(await embeddings.embedBatch(texts)).toHaveLength(count);
    expect(sent).toHaveLength(count > 96 ? 2 : 1);
    expect(sent[0]?.body).toEqual({
      texts: texts.slice(0, 96),
      input_type: "search_document",
      embedding_types: ["float"],
      output_dimension: 256,
    });
  });

  it.each([
    [titan, 1024],
    [titan1, 1536],
    [cohere3, 1024],
    [cohere4, 1536],
  ])("know the length of the vectors of %s", (model, length) => {
    expect(connect({ model }).embeddings.dimensions).toBe(length);
  });

  it.each([titan1, cohere3])("refuse another length for %s, which has one alone", (model) => {
    expect(() => connect({ model, dimensions: 256 })).toThrow(/leave dimensions of bedrockEmbeddings out/);
  });

  it.each<[string, BedrockEmbeddingsOptions, RegExp]>([
    ["a model of another kind", { model: "amazon.nova-pro-v1:0" }, /^model of bedrockEmbeddings must be/],
    ["a key beside credentials", { credentials: { accessKeyId: "a", secretAccessKey: "b" } }, /not both/],
    ["an unknown option", { client: {} } as object, /client/],
    ["a region that is none", { region: "nowhere/else" }, /region/],
  ])("refuse %s before any call", (_, options, message) => {
    expect(() => connect(options)).toThrow(message);
  });

  it("sign their requests with credentials", async () => {
    const credentials = { accessKeyId: "AKID", secretAccessKey: "secret" };
    const { embeddings, sent } = connect({ apiKey: undefined, credentials, dimensions: 256 });
    await embeddings.embed("rain");

    expect(sent[0]?.headers.get("authorization")).toMatch(/^AWS4-HMAC-SHA256 Credential=AKID\//);
  });

  it("send no key of the environment to another host", async () => {
    vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "key-of-environment");
    onTestFinished(() => void vi.unstubAllEnvs());
    const elsewhere = { apiKey: undefined, baseURL: "http://127.0.0.1:9", dimensions: 256 };
    const [withheld, allowed] = [connect(elsewhere), connect({ ...elsewhere, useEnvironmentKey: true })];
    for (const { embeddings } of [withheld, allowed]) await embeddings.embed("rain");

    expect(withheld.sent[0]?.headers.get("authorization")).toBeNull();
    expect(allowed.sent[0]?.headers.get("authorization")).toBe("Bearer key-of-environment");
  });

  it.each<[string, () => Response]>([
    ["no vector", () => Response.json({})],
    ["null", () => Response.json(null)],
    ["words", () => Response.json({ embedding: ["a"] })],
    ["another length", () => Response.json({ embedding: [1, 2] })],
    ["the arrays of an object", () => Response.json({ embeddings: { float: [[1]] } })],
  ])("refuse an answer with %s", async (_, answer) => {
    await expect(connect({ dimensions: 256 }, answer).embeddings.embed("rain")).rejects.toMatchObject({
      code: "model_failed",
      message: expect.stringContaining("vectors of another number or length"),
    });
  });

  it("read the arrays alone too, with which version 3 of Cohere may answer", async () => {
    const vector = Array.from({ length: 1024 }, () => 0.5);
    const { embeddings } = connect({ model: cohere3 }, () => Response.json({ embeddings: [vector] }));

    expect(await embeddings.embed("rain")).toEqual(vector);
  });

  it("have the code and the status of the vendor's refusals", async () => {
    const headers = { "x-amzn-errortype": "ThrottlingException" };
    const refuse = () => Response.json({ message: "Too many requests." }, { status: 429, headers });

    await expect(connect({}, refuse).embeddings.embed("rain")).rejects.toMatchObject({
      code: "rate_limited",
      status: 429,
    });
  });
});
