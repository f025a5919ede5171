import { describe, expect, it } from "vitest";
import { isOpenAIHost, rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";

const own = "api.openai.com";
const azure = "me.openai.azure.com";
const elsewhere = "localhost";

const newest: ModelRules = {
  reasoning: true,
  efforts: ["low", "medium", "high", "xhigh"],
  reasoningSummary: true,
  reasoningWithTools: false,
  reasoningStyle: "effort",
  sampling: false,
  stop: false,
  strict: true,
  jsonSchema: true,
  jsonObject: true,
  maxTokensField: "max_completion_tokens",
  names: true,
  parts: ["image", "file"],
  cacheKey: true,
  toolChoice: "named",
  shortCallIds: false,
  seedField: "seed",
  reasoningApart: false,
};
const unknown: ModelRules = {
  reasoning: true,
  efforts: ["low", "medium", "high"],
  reasoningSummary: false,
  reasoningWithTools: true,
  reasoningStyle: "effort",
  sampling: true,
  stop: true,
  strict: false,
  jsonSchema: true,
  jsonObject: true,
  maxTokensField: "max_tokens",
  names: false,
  parts: ["image", "audio", "file"],
  cacheKey: false,
  toolChoice: "named",
  shortCallIds: false,
  seedField: "seed",
  reasoningApart: false,
};
const plain = { ...newest, reasoning: false, reasoningSummary: false, sampling: true, stop: true };
const early = { ...plain, strict: false, jsonSchema: false };
const withEfforts = (...efforts: ModelRules["efforts"]): ModelRules => ({ ...newest, efforts });
const three = withEfforts("low", "medium", "high");

describe("the rules of a model of OpenAI's", () => {
  it.each<[id: string, rules: ModelRules]>([
    ["gpt-6.1-sol", newest],
    ["gpt-50", withEfforts("minimal", "low", "medium", "high")],
    ["not-known", newest],
    ["gpt-4o-audio-preview", { ...plain, parts: ["audio"] }],
    ["gpt-audio", { ...plain, parts: ["audio"] }],
    ["gpt-4-turbo-2024-04-09", { ...early, parts: ["image"] }],
    ["gpt-3.5-turbo", { ...early, parts: [] }],
    ["gpt-4", { ...early, parts: [] }],
    ["gpt-4-0613", { ...early, parts: [] }],
    ["gpt-4o", plain],
    ["gpt-4.1-mini", plain],
    ["chatgpt-4o-latest", plain],
    ["gpt-5-chat-latest", plain],
    ["gpt-5.1-chat-latest", plain],
    ["o1-mini", { ...three, parts: [] }],
    ["o3-mini", { ...three, parts: [] }],
    ["o1", three],
    ["o3", three],
    ["o4-mini", three],
    ["gpt-5", withEfforts("minimal", "low", "medium", "high")],
    ["gpt-5-mini", withEfforts("minimal", "low", "medium", "high")],
    ["gpt-5.1", withEfforts("none", "low", "medium", "high")],
    ["gpt-5.1-codex", withEfforts("none", "low", "medium", "high")],
    ["gpt-5.10", withEfforts("none", "low", "medium", "high", "xhigh")],
    ["gpt-5.2", withEfforts("none", "low", "medium", "high", "xhigh")],
    ["ft:gpt-4.1:me::1", plain],
    ["ft:o3-mini:me::1", { ...three, parts: [] }],
  ])("are those of %s", (id, rules) => {
    expect(rulesOf({ id, host: own })).toEqual(rules);
  });

  it.each([
    [azure, { names: false, cacheKey: true }],
    ["eu.api.openai.com", { names: true, cacheKey: true }],
    [elsewhere, { names: false, cacheKey: false }],
    ["openai.azure.com", { names: false, cacheKey: false }],
    ["me.openai.azure.com.example", { names: false, cacheKey: false }],
    ["openrouter.ai.example", { names: false, cacheKey: false }],
    ["notgroq.com", { names: false, cacheKey: false }],
  ])("are the same at %s but for the fields of the server", (host, more) => {
    for (const id of ["gpt-6.1-sol", "ft:gpt-7"]) expect(rulesOf({ id, host })).toEqual({ ...newest, ...more });
    expect(rulesOf({ id: "o3", host })).toEqual({ ...three, ...more });
    expect(rulesOf({ id: "chatgpt-4o-latest", host })).toEqual({ ...plain, ...more });
  });
});

describe("the rules of another model", () => {
  const all: ModelRules["efforts"] = ["none", "minimal", "low", "medium", "high", "xhigh"];

  it.each<[id: string, host: string, differences: Partial<ModelRules>]>([
    ["llama-4", elsewhere, {}],
    ["my-gpt-5", elsewhere, {}],
    ["openai/gpt-5", elsewhere, {}],
    ["olmo", elsewhere, {}],
    ["llama-4", azure, { cacheKey: true }],
    ["llama-4", "openrouter.ai", { reasoningStyle: "openrouter", efforts: all }],
    ["llama-4", "eu.openrouter.ai", { reasoningStyle: "openrouter", efforts: all }],
    ["llama-4", "notopenrouter.ai", {}],
    ["llama-4", "openrouter.ai.example", {}],
    ["qwen", "api.groq.com", { reasoningStyle: "groq" }],
    ["qwen", "groq.com", { reasoningStyle: "groq" }],
    ["openai/gpt-oss-20b", "api.groq.com", { reasoningStyle: "effort" }],
    ["gpt-oss-20b", "openrouter.ai", { reasoningStyle: "effort", efforts: all }],
    ["gpt-oss-20b", elsewhere, {}],
    ["deepseek-chat", "api.deepseek.com", { jsonSchema: false }],
    ["deepseek-chat", elsewhere, {}],
  ])("are for %s at %s those of any server, with %j", (id, host, differences) => {
    expect(rulesOf({ id, host })).toEqual({ ...unknown, ...differences });
  });
});

it("ModelRules takes the word of the caller last, entry by entry, and keeps it from the next model", () => {
  const overrides = { jsonSchema: true, reasoningStyle: "groq", cacheKey: true, parts: [] } as const;
  const model = { id: "gpt-oss-20b", host: "api.deepseek.com" };

  expect(rulesOf(model, overrides)).toEqual({ ...unknown, ...overrides });
  expect(rulesOf(model)).toEqual({ ...unknown, jsonSchema: false });
});

it.each([
  ["api.openai.com", true],
  ["us.api.openai.com", true],
  ["myapi.openai.com", false],
  ["openai.com", false],
  ["api.openai.com.example", false],
  ["api-openai.com", false],
  ["", false],
])("ModelRules tells of %j whether it is OpenAI's own host", (host, expected) => {
  expect(isOpenAIHost(host)).toBe(expected);
});
