import { TroupeError } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { openai, openaiEmbeddings } from "./index.ts";
import { rulesOf } from "./model-rules.ts";

/** The sentence of an error of the configuration. */
function refusal(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (TroupeError.is(error) && error.code === "invalid_config") return error.message;
    throw error;
  }
  throw new Error("It was accepted.");
}

const secret = "sk secret with spaces";

describe("making a model", () => {
  it("needs no more than its name [openai.factory] [provider.contract]", () => {
    const model = openai("gpt-6.1-sol");

    expect([model.providerId, model.modelId]).toEqual(["openai", "gpt-6.1-sol"]);
    expect(openai("m", { apiKey: "sk-1", baseURL: "http://127.0.0.1:1234/v1" }).modelId).toBe("m");
  });

  it.each<[option: string, config: object]>([
    ["apiKey", { apiKey: secret }],
    ["baseURL", { baseURL: "localhost:1234" }],
    ["baseURL", { baseURL: "https://user:pass@example.com/v1" }],
    ["baseURL", { baseURL: "file:///etc" }],
    ["baseURL", { baseURL: null }],
    ["api", { api: "assistants" }],
    ["idleTimeoutMs", { idleTimeoutMs: 0 }],
    ["idleTimeoutMs", { idleTimeoutMs: 2 ** 31 }],
    ["timeoutMs", { timeoutMs: "1s" }],
    ["rules", { rules: null }],
    ["rules.sampling", { rules: { sampling: "yes" } }],
    ["rules.parts", { rules: { parts: ["video"] } }],
    ["rules.maxTokensField", { rules: { maxTokensField: "maxTokens" } }],
    ['"reason"', { rules: { reason: true } }],
    ["logger", { logger: {} }],
    ['"apikey"', { apikey: "sk-1" }],
  ])("refuses a wrong %s by its name", (option, config) => {
    const sentence = refusal(() => openai("m", config));

    expect(sentence).toContain(option);
    expect(sentence).not.toContain(secret);
  });

  it.each(["", " ", undefined])("refuses the name %j", (modelId) => {
    expect(refusal(() => openai(modelId as string))).toContain("modelId");
  });
});

describe("making embeddings", () => {
  it.each<[option: string, config: object]>([
    ["model", { model: "" }],
    ["dimensions", { dimensions: 0 }],
    ["timeoutMs", { timeoutMs: -1 }],
    ['"idleTimeoutMs"', { idleTimeoutMs: 1 }],
  ])("refuses a wrong %s by its name", (option, config) => {
    expect(refusal(() => openaiEmbeddings(config))).toContain(option);
  });
});

describe("the rules of a model", () => {
  const at = (id: string, host = "api.openai.com") => rulesOf({ id, host });
  const elsewhere = "localhost";

  it.each([
    ["gpt-6.1-sol", { reasoning: true, sampling: false, strict: true, parts: ["image", "file"] }],
    ["gpt-5.6-luna", { reasoning: true, sampling: false }],
    ["o3", { reasoning: true, sampling: false }],
    ["o3-mini", { reasoning: true, parts: [] }],
    ["o4-mini", { reasoning: true, parts: ["image", "file"] }],
    ["gpt-5-chat-latest", { reasoning: false, sampling: true, strict: true }],
    ["gpt-4.1", { reasoning: false, sampling: true, jsonSchema: true }],
    ["gpt-4o-mini", { reasoning: false, sampling: true, jsonSchema: true }],
    ["ft:gpt-4.1:me::1", { reasoning: false, sampling: true }],
    ["gpt-4-turbo", { jsonSchema: false, parts: ["image"] }],
    ["gpt-4", { jsonSchema: false, parts: [] }],
    ["gpt-3.5-turbo", { jsonSchema: false, parts: [] }],
    ["gpt-4o-audio-preview", { sampling: true, parts: ["audio"] }],
    ["a-model-of-next-year", { reasoning: true, sampling: false, maxTokensField: "max_completion_tokens" }],
  ])("are those of %s", (id, expected) => {
    expect(at(id)).toMatchObject(expected);
  });

  it("are cautious for models that are not OpenAI's, and the same for those that are, wherever they run", () => {
    expect(at("llama-4", elsewhere)).toMatchObject({ sampling: true, strict: false, maxTokensField: "max_tokens" });
    expect(at("gpt-oss-20b", elsewhere)).toMatchObject({ sampling: true, strict: false });
    expect(at("gpt-6.1-sol", elsewhere)).toMatchObject({ sampling: false, names: false });
    expect(at("gpt-6.1-sol", "eu.api.openai.com")).toMatchObject({ sampling: false, names: true });
    expect(at("llama-4", "api.openai.com.evil.example")).toMatchObject({ names: false });
  });

  it("know the servers that differ, and what the caller knows better", () => {
    expect(at("m", "openrouter.ai").reasoningStyle).toBe("openrouter");
    expect(at("m", "api.groq.com").reasoningStyle).toBe("groq");
    expect(at("openai/gpt-oss-20b", "api.groq.com").reasoningStyle).toBe("effort");
    expect(at("deepseek-chat", "api.deepseek.com").jsonSchema).toBe(false);
    expect(rulesOf({ id: "m", host: elsewhere }, { jsonSchema: false }).jsonSchema).toBe(false);
  });
});
