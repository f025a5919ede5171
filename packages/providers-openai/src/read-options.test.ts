import { describe, expect, it } from "vitest";
import { rulesOf } from "./model-rules.ts";
import { readEmbeddingsOptions, readModelOptions } from "./options.ts";
import type { OpenAIClient, OpenAIOptions } from "./options.ts";

const create = () => Promise.resolve({});
const client = (baseURL?: string): OpenAIClient => ({
  chat: { completions: { create } },
  responses: { create },
  ...(baseURL !== undefined && { baseURL }),
});
const embedder = (baseURL?: string) => ({ embeddings: { create }, ...(baseURL !== undefined && { baseURL }) });
const own = "https://api.openai.com/v1";

describe("readModelOptions", () => {
  it("adds the defaults", () => {
    expect(readModelOptions("o3", {})).toMatchObject({
      modelId: "o3",
      baseURL: own,
      timeoutMs: 600_000,
      idleTimeoutMs: 60_000,
      api: "auto",
      rules: rulesOf({ id: "o3", host: "api.openai.com" }),
    });
  });

  it.each<[string, OpenAIOptions, string]>([
    ["the given one", { baseURL: "http://localhost:1/v1" }, "http://localhost:1/v1"],
    ["that of the client", { client: client("https://eu.api.openai.com/v1") }, "https://eu.api.openai.com/v1"],
    ["OpenAI's own for a client without one", { client: client() }, own],
    ["OpenAI's own for a client with none to read", { client: client("nowhere") }, own],
  ])("has as address %s", (_, options, baseURL) => {
    expect(readModelOptions("o3", options).baseURL).toBe(baseURL);
  });

  it.each<[OpenAIOptions, string]>([
    [{ baseURL: "https://openrouter.ai/api/v1" }, "openrouter.ai"],
    [{ baseURL: "https://openrouter.ai:8443/api/v1" }, "openrouter.ai"],
    [{ client: client("https://api.groq.com/openai/v1") }, "api.groq.com"],
    [{}, "api.openai.com"],
  ])("finds the rules by the host of %j", (options, host) => {
    expect(readModelOptions("llama-4", options).rules).toEqual(rulesOf({ id: "llama-4", host }));
  });

  it("takes rules of the caller over those, and none that are undefined", () => {
    const rules = { sampling: true, strict: undefined } as object;

    expect(readModelOptions("o3", { rules }).rules).toEqual({
      ...rulesOf({ id: "o3", host: "api.openai.com" }),
      sampling: true,
    });
  });

  it.each(["reasoning", "reasoningSummary", "reasoningWithTools", "sampling", "stop", "strict"])(
    "refuses a rule %s that is not true or false",
    (name) => {
      expect(() => readModelOptions("o3", { rules: { [name]: 1 } })).toThrow(new RegExp(`^rules\\.${name} must be`));
    },
  );

  it.each<[object, RegExp]>([
    [{ rules: { jsonSchema: 1 } }, /^rules\.jsonSchema must be/],
    [{ rules: { jsonObject: 1 } }, /^rules\.jsonObject must be/],
    [{ rules: { names: 1 } }, /^rules\.names must be/],
    [{ rules: { cacheKey: 1 } }, /^rules\.cacheKey must be/],
    [{ rules: { efforts: ["max"] } }, /^rules\.efforts/],
    [{ rules: { reasoningStyle: "none" } }, /^rules\.reasoningStyle must be/],
    [{ baseURL: "https://user@example.com" }, /^baseURL must be/],
    [{ baseURL: "https://:secret@example.com" }, /^(?!.*secret)baseURL must be/],
    [{ baseURL: "" }, /^baseURL must be/],
    [{ baseURL: "httpsx://example.com" }, /^baseURL must be/],
    [{ timeoutMs: 0 }, /^timeoutMs must be/],
    [{ timeoutMs: 2 ** 31 }, /^timeoutMs must be/],
    [{ timeoutMs: Number.NaN }, /^timeoutMs must be/],
    [{ client: { chat: { completions: { create } } } }, /^client must be a client of openai/],
  ])("refuses %j", (options, message) => {
    expect(() => readModelOptions("o3", options)).toThrow(message);
  });

  it.each([1, 2 ** 31 - 1])("takes the time %j", (timeoutMs) => {
    expect(readModelOptions("o3", { timeoutMs }).timeoutMs).toBe(timeoutMs);
  });

  it.each(["none", "minimal", "low", "medium", "high", "xhigh"] as const)("takes the effort %s", (effort) => {
    expect(readModelOptions("o3", { rules: { efforts: [effort] } }).rules.efforts).toEqual([effort]);
  });
});

describe("readEmbeddingsOptions", () => {
  it.each<[object, object]>([
    [{}, { model: "text-embedding-3-small", baseURL: own, timeoutMs: 600_000 }],
    [
      { model: "m", dimensions: 1, timeoutMs: 5 },
      { model: "m", dimensions: 1, timeoutMs: 5 },
    ],
    [{ baseURL: "http://localhost:1/v1" }, { baseURL: "http://localhost:1/v1" }],
    [{ client: embedder("http://localhost:2/v1") }, { baseURL: "http://localhost:2/v1" }],
    [{ client: embedder() }, { baseURL: own }],
  ])("makes of %j the settings %j", (options, settings) => {
    expect(readEmbeddingsOptions(options)).toMatchObject(settings);
  });

  it.each<[object, RegExp]>([
    [{ model: " " }, /^model must be/],
    [{ dimensions: 1.5 }, /^dimensions must be/],
    [{ api: "chat" }, /Unknown option "api" of openaiEmbeddings/],
    [{ client: {} }, /^client must be a client of openai, with embeddings\.create/],
  ])("refuses %j", (options, message) => {
    expect(() => readEmbeddingsOptions(options)).toThrow(message);
  });
});
