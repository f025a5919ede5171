import { Agent, InMemoryVectorStore, KnowledgeBase, Workflow } from "@troupe/core";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { head, sendRaw } from "../test/raw.ts";
import { serve } from "../test/serve.ts";

/** A model of a vendor that notes the key of each call. */
class VendorModel extends ScriptedModel {
  override readonly providerId: string;

  constructor(providerId: string) {
    super();
    this.providerId = providerId;
    this.respond(() => "Hi.");
  }

  get keys(): unknown[] {
    return this.calls.map(({ options }) => options.apiKey);
  }
}

/** Embeddings of a vendor that note the key of each call. */
class VendorEmbeddings extends FakeEmbeddings {
  override readonly providerId: "fake";

  constructor(providerId: string) {
    super();
    this.providerId = providerId as "fake";
  }
}

/** Serves an agent that searches a knowledge base, whose embeddings are of another vendor than its model. */
async function serveSearch() {
  const embeddings = new VendorEmbeddings("google");
  const knowledge = new KnowledgeBase({ name: "trips", vectorStore: new InMemoryVectorStore({ embeddings }) });
  await knowledge.add({ id: "1", content: "It rains in Oslo." });
  embeddings.calls.length = 0;
  const model = new VendorModel("openai").respond(({ messages }) => {
    if (messages.at(-1)?.role === "tool") return "Rain.";
    return { toolCalls: [{ name: "search_trips", arguments: { query: "Oslo" } }] };
  });
  const agent = new Agent({ name: "a", model, tools: [knowledge.asTool()] });
  const service = await serve({ agents: { a: agent } });
  return { service, modelKeys: () => model.keys, embeddingKeys: () => embeddings.calls.map(({ apiKey }) => apiKey) };
}

const headers = {
  openai: { "x-openai-api-key": "sk-openai" },
  anthropic: { "x-anthropic-api-key": "sk-anthropic" },
  google: { "x-google-api-key": "sk-google" },
  groq: { "x-groq-api-key": "sk-groq" },
  generic: { "x-api-key": "sk-generic" },
};

async function serveVendor(
  providerId: string,
  { maxHeaderSize, ...more }: { genericApiKeyHeader?: boolean; maxHeaderSize?: number } = {},
) {
  const model = new VendorModel(providerId);
  const agent = new Agent({ name: "a", model });
  return { model, service: await serve({ agents: { a: agent }, ...more }, { maxHeaderSize }) };
}

describe("the key of a request", () => {
  it.each([
    ["openai", headers.openai, "sk-openai"],
    ["anthropic", headers.anthropic, "sk-anthropic"],
    ["google", headers.google, "sk-google"],
    ["vertex", headers.google, "sk-google"],
    ["groq", headers.groq, "sk-groq"],
    ["openai", headers.groq, undefined],
    ["openai", headers.generic, "sk-generic"],
    ["ollama", headers.generic, "sk-generic"],
  ])(
    "the key of a request for %s is read from %j, for runs and streams [http.key-headers]",
    async (vendor, sent, key) => {
      const { model, service } = await serveVendor(vendor);

      await service.post("/agents/a/run", { input: "x" }, sent);
      await service.post("/agents/a/stream", { input: "x" }, sent);

      expect(model.keys).toEqual([key, key]);
    },
  );

  it("is taken from the vendor's header, then x-api-key, then the body [http.body-api-key]", async () => {
    const { model, service } = await serveVendor("openai");
    const body = { input: "x", apiKey: "sk-body" };

    await service.post("/agents/a/run", body, { ...headers.openai, ...headers.generic });
    await service.post("/agents/a/run", body, headers.generic);
    await service.post("/agents/a/run", body, headers.anthropic);
    await service.post("/agents/a/run", { input: "x" }, headers.anthropic);

    expect(model.keys).toEqual(["sk-openai", "sk-generic", "sk-body", undefined]);
  });

  it("may be one of several, each for its own vendor", async () => {
    const models = { openai: new VendorModel("openai"), anthropic: new VendorModel("anthropic") };
    const [first, second] = [models.openai, models.anthropic].map(
      (model) => new Agent({ name: model.providerId, model }),
    );
    if (first === undefined || second === undefined) throw new Error("unreachable");
    const workflow = new Workflow({
      name: "both",
      initialState: {},
      steps: [
        { name: "one", agent: first },
        { name: "two", agent: second },
      ],
    });
    const service = await serve({ workflows: { both: workflow } });
    const input = {};

    const both = await service.post("/workflows/both/run", { input }, { ...headers.openai, ...headers.anthropic });
    const unclear = await service.post("/workflows/both/run", { input }, headers.generic);

    expect(both.status).toBe(200);
    expect([models.openai.keys, models.anthropic.keys]).toEqual([["sk-openai"], ["sk-anthropic"]]);
    expect(unclear).toMatchObject({ status: 400, json: { error: { code: "invalid_request" } } });
    expect(unclear.text).toContain("x-anthropic-api-key");
    expect(unclear.text).not.toContain("sk-generic");
  });

  it.each(["run", "stream"])(
    "is one of two in a request for /%s: the model and the embeddings each get their own [http.keys-per-vendor]",
    async (mode) => {
      const { service, modelKeys, embeddingKeys } = await serveSearch();

      const sent = { ...headers.openai, ...headers.google };
      const { text } = await service.post(`/agents/a/${mode}`, { input: "Oslo?" }, sent);

      expect(text).toContain("Rain.");
      expect(modelKeys()).toEqual(["sk-openai", "sk-openai"]);
      expect(embeddingKeys()).toEqual(["sk-google"]);
    },
  );

  it("reaches no embeddings of another vendor, and is gone with the next request [http.keys-per-vendor]", async () => {
    const { service, modelKeys, embeddingKeys } = await serveSearch();

    await service.post("/agents/a/run", { input: "Oslo?", apiKey: "sk-body" }, {});
    await service.post("/agents/a/run", { input: "Oslo?" }, { ...headers.generic, ...headers.google });
    await service.post("/agents/a/run", { input: "Oslo?" });

    const [body, generic] = ["sk-body", "sk-generic"];
    expect(modelKeys()).toEqual([body, body, generic, generic, undefined, undefined]);
    expect(embeddingKeys()).toEqual([undefined, "sk-google", undefined]);
  });

  it("is not read from x-api-key with genericApiKeyHeader false", async () => {
    const { model, service } = await serveVendor("openai", { genericApiKeyHeader: false });

    await service.post("/agents/a/run", { input: "x" }, { "x-api-key": "the host's, not a key at all" });
    await service.post("/agents/a/run", { input: "x", apiKey: "sk-body" }, headers.generic);

    expect(model.keys).toEqual([undefined, "sk-body"]);
  });

  it.each(["x-openai-api-key", "x-anthropic-api-key", "x-google-api-key", "x-api-key"])(
    "is refused without being shown if the header %s is malformed",
    async (name) => {
      const { model, service } = await serveVendor("openai");
      const wrong = ["sk secret", ""];

      for (const value of wrong) {
        const { status, json, text } = await service.post("/agents/a/run", { input: "x" }, { [name]: value });
        expect([status, json]).toMatchObject([400, { error: { code: "invalid_request" } }]);
        expect(text).toContain(name);
        expect(text).not.toMatch(/secret|sss/);
      }
      expect(model.calls).toEqual([]);
    },
  );

  it("may have 16 KB in any header and in the body, and is refused beyond with the name of its place [keys.length]", async () => {
    const { model, service } = await serveVendor("openai", { maxHeaderSize: 81_920 });
    const [longest, tooLong] = ["k".repeat(16_384), "k".repeat(16_385)];
    const places = ["x-openai-api-key", "x-anthropic-api-key", "x-google-api-key", "x-api-key"];
    const all = Object.fromEntries(places.map((name) => [name, longest]));

    const taken = [
      await service.post("/agents/a/run", { input: "x" }, all),
      await service.post("/agents/a/run", { input: "x", apiKey: longest }),
    ];
    const refused = [
      ...(await Promise.all(
        places.map(async (name) => await service.post("/agents/a/run", { input: "x" }, { [name]: tooLong })),
      )),
      await service.post("/agents/a/run", { input: "x", apiKey: tooLong }),
    ];

    expect(taken.map(({ status }) => status)).toEqual([200, 200]);
    expect(model.keys).toEqual([longest, longest]);
    for (const [index, { status, json, text }] of refused.entries()) {
      const { code, message } = (json as { error: { code: string; message: string } }).error;
      expect([status, code]).toEqual([400, "invalid_request"]);
      expect(message).toContain(`${places[index] ?? "apiKey"} must be 1 to 16384 visible`);
      expect(text).not.toContain("kkkk");
    }
  });

  it("is refused if its header comes twice", async () => {
    const { service } = await serveVendor("openai");
    const twice = ["x-openai-api-key: sk-1", "X-OpenAI-Api-Key: sk-2"];

    const answer = await sendRaw(
      service,
      head("/agents/a/run", "Content-Type: application/json", "Content-Length: 13", ...twice),
      '{"input":"x"}',
    );

    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).not.toMatch(/sk-[12]/);
  });

  it("is in no answer and no log, even if a provider throws its request", async () => {
    const careless = new ScriptedModel().respond(({ options }) => {
      throw new TypeError(`Could not send ${options.apiKey} at all.`);
    });
    const service = await serve({ agents: { a: new Agent({ name: "a", model: careless }) } });

    const answers = [
      await service.post("/agents/a/run", { input: "x" }, { "x-api-key": "sk-canary-header" }),
      await service.post("/agents/a/stream", { input: "x", apiKey: "sk-canary-body" }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([500, 500]);
    expect(service.lines).toHaveLength(2);
    expect([...service.lines, ...answers.map(({ text }) => text)].join("")).not.toContain("sk-canary");
    expect(service.lines[1]).toContain("Could not send");
  });
});
