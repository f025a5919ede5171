import type { ChatMessage, ModelOptions } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { contextOf } from "../test/request-context.ts";
import type { ModelRules } from "./model-rules.ts";
import { rulesOf } from "./model-rules.ts";
import { readEmbeddingsOptions, readModelOptions } from "./options.ts";
import { toRequest } from "./to-request.ts";

const ask: ChatMessage = { role: "user", content: "Rain?" };
const base = { model: "qwen3:8b", messages: [{ role: "user", content: "Rain?" }] };

type Setup = { rules?: Partial<ModelRules>; contextLength?: number; messages?: ChatMessage[] };

/** The body of a request, and what it leaves out. */
function bodyFor(options: ModelOptions, { rules, contextLength, messages = [ask] }: Setup = {}) {
  const { context, omitted } = contextOf(rules);
  return { body: toRequest(messages, options, { ...context, contextLength }), omitted };
}

describe("the settings of a request", () => {
  it.each<[ModelOptions, object, string[]]>([
    [{}, {}, []],
    [{ temperature: 0 }, { options: { temperature: 0 } }, []],
    [{ topP: 0 }, { options: { top_p: 0 } }, []],
    [{ seed: 0 }, { options: { seed: 0 } }, []],
    [{ seed: -1 }, { options: { seed: -1 } }, []],
    [{ maxTokens: 1 }, { options: { num_predict: 1 } }, []],
    [{ stop: [" "] }, { options: { stop: [" "] } }, []],
    [{ stop: [] }, { options: { stop: [] } }, []],
    [{ stop: ["a", "", "b"] }, { options: { stop: ["a", "b"] } }, ["a stop sequence of nothing"]],
    [{ vendor: { ollama: { keep_alive: 0 }, openai: { user: "u" } } }, { keep_alive: 0 }, []],
  ])("are for %j %j", (options, more, omitted) => {
    expect(bodyFor(options)).toStrictEqual({ body: { ...base, ...more }, omitted });
  });

  it("have the context length of the provider", () => {
    expect(bodyFor({ seed: 1 }, { contextLength: 2048 }).body.options).toStrictEqual({ seed: 1, num_ctx: 2048 });
  });
});

describe("thinking", () => {
  const always = { thinking: "levels" } as const;
  const never = { thinking: "none" } as const;

  it.each<[Partial<ModelRules>, ModelOptions["reasoning"], object, string[]]>([
    [{}, undefined, {}, []],
    [{}, { enabled: true }, { think: true }, []],
    [{}, { enabled: false }, { think: false }, []],
    [{}, { enabled: false, effort: "high" }, { think: false }, []],
    [{}, { enabled: true, effort: "none" }, { think: false }, []],
    [{}, { enabled: true, effort: "low" }, { think: true }, ["reasoning.effort"]],
    [{}, { enabled: true, budgetTokens: 1 }, { think: true }, ["reasoning.budgetTokens"]],
    [always, { enabled: true }, { think: true }, []],
    [always, { enabled: false }, { think: false }, ["reasoning.enabled false"]],
    [always, { enabled: true, effort: "none" }, { think: false }, ["reasoning.effort none"]],
    [always, { enabled: true, effort: "minimal" }, { think: "low" }, []],
    [always, { enabled: true, effort: "low" }, { think: "low" }, []],
    [always, { enabled: true, effort: "medium" }, { think: "medium" }, []],
    [always, { enabled: true, effort: "high" }, { think: "high" }, []],
    [always, { enabled: true, effort: "xhigh" }, { think: "high" }, []],
    [always, { enabled: true, effort: "low", budgetTokens: 1 }, { think: "low" }, ["reasoning.budgetTokens"]],
    [never, { enabled: true, effort: "low" }, {}, ["reasoning"]],
    [never, { enabled: false }, {}, []],
  ])("by the rules %j is for %j %j", (...[rules, reasoning, more, omitted]) => {
    const options: ModelOptions = { ...(reasoning !== undefined && { reasoning }) };

    expect(bodyFor(options, { rules })).toStrictEqual({ body: { ...base, ...more }, omitted });
  });
});

it("a request adds an instruction to the first system message alone, and leaves the history as it was", () => {
  const messages: ChatMessage[] = [{ role: "system", content: "Be short." }, ask, { role: "system", content: "Now." }];
  const said = bodyFor({ responseFormat: "json" }, { messages }).body.messages.map(
    ({ role, content }) => `${role}: ${content}`,
  );

  expect(said).toEqual([
    expect.stringMatching(/^system: Be short\.\n\nAnswer with JSON alone/),
    "user: Rain?",
    "system: Now.",
  ]);
  expect(messages[0]).toEqual({ role: "system", content: "Be short." });
});

it.each<[string, Partial<ModelRules> | undefined, ModelRules]>([
  ["qwen3:8b", undefined, { thinking: "switch", tools: true }],
  ["gpt-oss:20b", undefined, { thinking: "levels", tools: true }],
  ["me/gpt-oss", { tools: false }, { thinking: "levels", tools: false }],
  ["gpt-oss", { thinking: "none" }, { thinking: "none", tools: true }],
])("knows of %s with %j its rules", (modelId, overrides, rules) => {
  expect(rulesOf(modelId, overrides)).toEqual(rules);
  expect(readModelOptions(modelId, { rules: overrides }).rules).toEqual(rules);
});

describe("the options", () => {
  it("have defaults", () => {
    const server = { baseURL: "http://127.0.0.1:11434", timeoutMs: 300_000 };

    expect(readModelOptions("m", {})).toMatchObject({ ...server, modelId: "m", idleTimeoutMs: 60_000 });
    expect(readEmbeddingsOptions("m", {})).toMatchObject({ ...server, model: "m" });
  });

  it.each<[object, RegExp]>([
    [{ contextLength: 0 }, /^contextLength must be/],
    [{ contextLength: 1.5 }, /^contextLength must be/],
    [{ timeoutMs: 2 ** 31 }, /^timeoutMs must be/],
    [{ allowPrivateUrls: true }, /Unknown option "allowPrivateUrls" of ollama/],
    [{ rules: { tools: 1 } }, /^rules\.tools must be/],
    [{ rules: { thinking: "level" } }, /^rules\.thinking must be/],
    [{ client: { embed: fetch } }, /^client must be a client of ollama, with chat/],
  ])("refuse %j", (options, message) => {
    expect(() => readModelOptions("m", options)).toThrow(message);
  });

  it.each<[string, object, RegExp]>([
    [" ", {}, /^model must be/],
    ["m", { contextLength: 1 }, /Unknown option "contextLength" of ollamaEmbeddings/],
    ["m", { client: { chat: fetch } }, /^client must be a client of ollama, with embed/],
  ])("of embeddings of %j refuse %j", (model, options, message) => {
    expect(() => readEmbeddingsOptions(model, options)).toThrow(message);
  });
});
