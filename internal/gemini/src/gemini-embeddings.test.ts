import { Network } from "@troupe/core/kit";
import { describe, expect, it, vi } from "vitest";
import type { OpenCall } from "./access.ts";
import { batchEmbedContents, createGeminiEmbeddings, embedContent, predict } from "./gemini-embeddings.ts";
import type { GeminiEmbeddingsSettings } from "./gemini-embeddings.ts";
import { readEmbeddingsOptions } from "./options.ts";

type Asked = { requests: { outputDimensionality?: number; content: { parts: { text: string }[] } }[] };
type Answer = (asked: Asked, url: string) => Response;

const vectorsOf = (asked: Asked, values: number[]) =>
  Response.json({ embeddings: asked.requests.map(() => ({ values })) });
const bodyOf = (init?: { body?: unknown }) => JSON.parse(init?.body as string) as Asked;
const texts = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);

/** Embeddings that get these answers, how often their call was opened, and the requests that they sent. */
function create(answer: Answer, settings: Partial<GeminiEmbeddingsSettings> = {}) {
  const network = new Network({
    fetch: async (url, init) => answer(bodyOf(init), url),
  });
  const sent = vi.spyOn(network, "send");
  const access = { baseURL: "https://example.com/v1", headers: { "x-goog-api-key": "key-1" } };
  const openCall = vi.fn<OpenCall>().mockImplementation(async ({ signal }) => ({
    call: { providerId: "google", signal },
    access,
  }));
  const embeddings = createGeminiEmbeddings({
    ...readEmbeddingsOptions({}, { owner: "embeddings", more: {} }),
    providerId: "google",
    isCloud: false,
    model: "m",
    lengths: { m: 2, long: 3 },
    methodOf: () => batchEmbedContents,
    ...settings,
    network,
    openCall,
  });
  return { embeddings, openCall, sent, urls: () => sent.mock.calls.map(([url]) => String(url)) };
}

describe("the length of vectors", () => {
  it.each<[string, Partial<GeminiEmbeddingsSettings>, number | undefined]>([
    ["that of the model", {}, 2],
    ["what was asked for", { dimensions: 1 }, 1],
    ["not known of another model", { model: "other" }, undefined],
    ["not known of a model with the name of a method", { model: "constructor" }, undefined],
  ])("is %s", (_, settings, expected) => {
    const { embeddings } = create((asked) => vectorsOf(asked, [1]), settings);

    expect(embeddings.dimensions).toBe(expected);
  });

  it.each([
    [
      [3, 4],
      [0.6, 0.8],
    ],
    [
      [-3, -4],
      [-0.6, -0.8],
    ],
    [
      [0, 0],
      [0, 0],
    ],
    [
      [0.3, 0.4],
      [0.6, 0.8],
    ],
  ])("is one for %j after they were shortened, and as it came otherwise", async (values, unit) => {
    const short = create((asked) => vectorsOf(asked, values), { dimensions: 2 });
    const whole = create((asked) => vectorsOf(asked, values));

    const [vector = []] = await short.embeddings.embedBatch(["rain"]);
    expect(vector.map((value) => Number(value.toFixed(12)))).toEqual(unit);
    expect(await whole.embeddings.embed("rain")).toEqual(values);
  });
});

describe("a call", () => {
  it("is opened once for all its batches, with the key and the signal, and waits as long as it may", async () => {
    const { embeddings, openCall, sent } = create((asked) => vectorsOf(asked, [1, 2]), { timeoutMs: 7000 });
    const { signal } = new AbortController();
    const options = { apiKey: "callers", signal };

    expect(await embeddings.embedBatch(texts(101), options)).toHaveLength(101);

    expect(openCall.mock.calls).toEqual([[options]]);
    expect(sent.mock.calls.map(([, init]) => init)).toEqual([
      expect.objectContaining({ headersTimeoutMs: 7000, idleTimeoutMs: 7000, signal }),
      expect.objectContaining({ headersTimeoutMs: 7000, idleTimeoutMs: 7000, signal }),
    ]);
  });

  it("is opened anew for the next texts, and not at all for none", async () => {
    const { embeddings, openCall } = create((asked) => vectorsOf(asked, [1, 2]));

    expect(await embeddings.embedBatch([])).toEqual([]);
    expect(openCall).not.toHaveBeenCalled();
    await embeddings.embed("rain", { apiKey: "a" });
    await embeddings.embed("rain", { apiKey: "b" });
    expect(openCall.mock.calls).toEqual([[{ apiKey: "a" }], [{ apiKey: "b" }]]);
  });

  it.each([{}, null, { embeddings: [null] }, { embeddings: [{}] }, { embeddings: [{ values: null }] }])(
    "fails as the model's failure with the answer %j",
    async (body) => {
      const { embeddings } = create(() => Response.json(body));

      await expect(embeddings.embed("rain")).rejects.toMatchObject({ code: "model_failed" });
    },
  );
});

describe("a successor", () => {
  const isGone = (error: unknown) => (error as { status?: number }).status === 404;

  function createWithSuccessor(answer: Answer, settings: Partial<GeminiEmbeddingsSettings> = {}) {
    const report = vi.fn<(dimensions: number) => void>();
    const successor = { model: "long", isGone, report };
    return { ...create(answer, { successor, ...settings }), report };
  }

  it("embeds all texts again within one call, at the length so far, which stays", async () => {
    const made = createWithSuccessor((asked, url) =>
      url.includes("/m:") ? new Response("{}", { status: 404 }) : vectorsOf(asked, [3, 4]),
    );
    const [vector] = await made.embeddings.embedBatch(["rain"], { apiKey: "a" });

    expect(vector).toEqual([0.6, 0.8]);
    expect([made.embeddings.modelId, made.embeddings.dimensions]).toEqual(["long", 2]);
    expect(made.openCall).toHaveBeenCalledOnce();
    await made.embeddings.embed("sun");
    expect(made.urls().map((url) => url.replace(/.*models\/(.*):.*/, "$1"))).toEqual(["m", "long", "long"]);
    expect(made.sent.mock.calls.map(([, init]) => bodyOf(init).requests)).toEqual([
      [{ content: { role: "user", parts: [{ text: "rain" }] }, model: "models/m" }],
      [{ content: { role: "user", parts: [{ text: "rain" }] }, outputDimensionality: 2, model: "models/long" }],
      [{ content: { role: "user", parts: [{ text: "sun" }] }, outputDimensionality: 2, model: "models/long" }],
    ]);
    expect(made.report.mock.calls).toEqual([[2]]);
  });

  it("is reported once by calls that run at once", async () => {
    const made = createWithSuccessor((asked, url) =>
      url.includes("/m:") ? new Response("{}", { status: 404 }) : vectorsOf(asked, [3, 4]),
    );
    await Promise.all([made.embeddings.embed("rain"), made.embeddings.embed("sun")]);

    expect(made.report).toHaveBeenCalledOnce();
  });

  it.each([
    ["the error is another one", 500, {}, 1],
    ["it is gone itself", 404, {}, 2],
    ["it is the model already", 404, { model: "long" }, 1],
    ["there is none", 404, { successor: undefined }, 1],
  ])("is no help where %s", async (...[, status, settings, requests]) => {
    const { successor, ...rest } = { successor: {}, ...settings };
    const answer = () => new Response("{}", { status });
    const made = successor === undefined ? create(answer, rest) : createWithSuccessor(answer, rest);

    await expect(made.embeddings.embed("rain")).rejects.toMatchObject({ status });
    expect(made.sent).toHaveBeenCalledTimes(requests);
  });
});

describe("the methods of the cloud", () => {
  const target = (length?: number) => ({ model: "m", length });

  it.each([
    ["text-embedding-005", { mostTexts: 250, mostCharacters: 20_000 }],
    ["gemini-embedding-001", { mostTexts: 1, concurrency: 4 }],
  ])("take from %s so much at once", (model, limits) => {
    expect(predict(model).limits).toEqual(limits);
    expect(embedContent.limits).toEqual({ mostTexts: 1, concurrency: 4 });
    expect(batchEmbedContents.limits).toEqual({ mostTexts: 100 });
  });

  it("ask for a length where there is one", () => {
    const instances = [{ content: "a" }, { content: "b" }];
    const content = { role: "user", parts: [{ text: "a" }] };

    expect(predict("m").toBody(["a", "b"], target())).toEqual({ instances });
    expect(predict("m").toBody(["a", "b"], target(3))).toEqual({ instances, parameters: { outputDimensionality: 3 } });
    expect(embedContent.toBody(["a"], target())).toEqual({ content });
    expect(embedContent.toBody(["a"], target(3))).toEqual({ content, embedContentConfig: { outputDimensionality: 3 } });
  });

  it("find the vectors in their answers, or nothing", () => {
    const [one, two] = [{ values: [1] }, { values: [2] }];

    expect(predict("m").fromBody({ predictions: [{ embeddings: one }, {}, { embeddings: two }] })).toEqual([
      one,
      undefined,
      two,
    ]);
    expect(embedContent.fromBody({ embedding: one })).toEqual([one]);
    expect([predict("m").fromBody({}), embedContent.fromBody({})]).toEqual([undefined, undefined]);
  });
});

describe("the methods of Google's APIs", () => {
  const content = (text: string) => ({ role: "user", parts: [{ text }] });
  const [plain, shortened] = [
    { model: "m", length: undefined },
    { model: "models/m", length: 3 },
  ];

  it("batchEmbedContents sends a request for each of at most 100 texts, with the path of the model", () => {
    expect([batchEmbedContents.name, batchEmbedContents.limits]).toEqual(["batchEmbedContents", { mostTexts: 100 }]);
    expect(batchEmbedContents.toBody(["a", "b"], plain)).toEqual({
      requests: [
        { content: content("a"), model: "models/m" },
        { content: content("b"), model: "models/m" },
      ],
    });
    expect(batchEmbedContents.toBody(["a"], shortened)).toEqual({
      requests: [{ content: content("a"), outputDimensionality: 3, model: "models/m" }],
    });
    expect(batchEmbedContents.fromBody({ embeddings: [{ values: [1] }] })).toEqual([{ values: [1] }]);
  });

  it.each([
    ["gemini-embedding-001", { mostTexts: 1, concurrency: 4 }],
    ["text-embedding-005", { mostTexts: 250, mostCharacters: 20_000 }],
  ])("predict has for %s the limits %j", (model, limits) => {
    expect([predict(model).name, predict(model).limits]).toEqual(["predict", limits]);
  });

  it("predict sends instances, and its answer has the vectors in predictions", () => {
    const method = predict("m");

    expect(method.toBody(["a", "b"], plain)).toEqual({ instances: [{ content: "a" }, { content: "b" }] });
    expect(method.toBody(["a"], shortened)).toEqual({
      instances: [{ content: "a" }],
      parameters: { outputDimensionality: 3 },
    });
    expect(method.fromBody({ predictions: [{ embeddings: { values: [1] } }, {}] })).toEqual([
      { values: [1] },
      undefined,
    ]);
    expect(method.fromBody({})).toBeUndefined();
  });

  it("embedContent sends one text, four requests at once", () => {
    expect([embedContent.name, embedContent.limits]).toEqual(["embedContent", { mostTexts: 1, concurrency: 4 }]);
    expect(embedContent.toBody(["a"], plain)).toEqual({ content: content("a") });
    expect(embedContent.toBody(["a"], shortened)).toEqual({
      content: content("a"),
      embedContentConfig: { outputDimensionality: 3 },
    });
    expect(embedContent.fromBody({ embedding: { values: [1] } })).toEqual([{ values: [1] }]);
    expect(embedContent.fromBody({})).toBeUndefined();
  });
});
