import type { ChatMessage, ModelOptions } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { contextOf } from "../test/request-context.ts";
import type { ModelRules } from "./model-rules.ts";
import { readModelOptions } from "./options.ts";
import { toRequest } from "./to-request.ts";

const ask: ChatMessage = { role: "user", content: "Rain?" };
const newest = "2026-10-21";
const elder = "2023-06-01";

/** The fields of a request beside the model and the messages, its version, and what it leaves out. */
function fieldsFor(options: ModelOptions, rules?: Partial<ModelRules>) {
  const { context, omitted } = contextOf(rules);
  const { body, version } = toRequest([ask], options, context);
  const { model: _model, messages: _messages, max_tokens: _most, ...fields } = body;
  return { fields, version, omitted };
}

it.each<[ModelOptions, Partial<ModelRules>, object, string, string[]]>([
  [{}, {}, {}, newest, []],
  [{ temperature: 0 }, {}, { temperature: 0 }, elder, []],
  [{ topP: 0 }, {}, { top_p: 0 }, elder, []],
  [{ temperature: 0, topP: 1 }, {}, { temperature: 0 }, elder, ["topP"]],
  [{ temperature: 0 }, { sampling: false }, {}, newest, ["temperature or topP"]],
  [{ topP: 0 }, { sampling: false }, {}, newest, ["temperature or topP"]],
  [{ seed: 0 }, {}, {}, newest, ["seed"]],
  [{ stop: ["a", "b"] }, {}, { stop_sequences: ["a", "b"] }, newest, []],
  [{ stop: ["a", " \n", ""] }, {}, { stop_sequences: ["a"] }, newest, ["a stop sequence of blanks"]],
  [{ stop: [" "] }, {}, {}, newest, ["a stop sequence of blanks"]],
  [{ stop: [] }, {}, {}, newest, []],
  [{ vendor: { anthropic: { top_k: 1 } } }, {}, { top_k: 1 }, elder, []],
  [{ vendor: { openai: { top_k: 1 } } }, {}, {}, newest, []],
])("has for %j by the rules %j the fields %j", (...[options, rules, fields, version, omitted]) => {
  expect(fieldsFor(options, rules)).toStrictEqual({ fields, version, omitted });
});

it("a request has no temperature beside thinking", () => {
  const { fields, version, omitted } = fieldsFor({ temperature: 0, reasoning: { enabled: true } });

  expect(Object.keys(fields)).toEqual(["thinking"]);
  expect([version, omitted]).toEqual([newest, ["temperature or topP"]]);
});

describe("the system prompt", () => {
  const system = (content: string): ChatMessage => ({ role: "system", content });

  it.each<[string[], string | undefined]>([
    [[], undefined],
    [["", " "], undefined],
    [["One."], "One."],
    [["One.", " ", "Two.", "Three."], "One.\n\nTwo.\n\nThree."],
  ])("of %j is %j without marks", (texts, expected) => {
    const { body } = toRequest([...texts.map(system), ask], {}, contextOf().context);

    expect(body.system).toBe(expected);
    expect("system" in body).toBe(expected !== undefined);
  });

  it("has in blocks what stays the same first", () => {
    const messages = [system(" "), system("One."), ask, system("Two."), system("Three.")];
    const promptCache = { ttl: "1h" } as const;
    const { body } = toRequest(messages, {}, { ...contextOf().context, promptCache });

    expect(body.system).toEqual([
      { type: "text", text: "One.", cache_control: { type: "ephemeral", ttl: "1h" } },
      { type: "text", text: "Two.\n\nThree." },
    ]);
  });
});

describe("the options", () => {
  it("have defaults", () => {
    expect(readModelOptions("m", {})).toMatchObject({
      modelId: "m",
      baseURL: "https://api.anthropic.com",
      keyHeader: "authorization",
      promptCache: { ttl: "5m" },
      idleTimeoutMs: 60_000,
    });
  });

  it.each([false, { ttl: "5m" }, { ttl: "1h" }] as const)("take %j for the prompt cache", (promptCache) => {
    expect(readModelOptions("m", { promptCache }).promptCache).toEqual(promptCache);
  });

  it.each<[object, RegExp]>([
    [{ promptCache: true }, /^promptCache must be false or/],
    [{ promptCache: null }, /^promptCache must be false or/],
    [{ promptCache: "1h" }, /^promptCache must be false or/],
    [{ promptCache: { ttl: "2h" } }, /^promptCache\.ttl must be/],
    [{ promptCache: {} }, /^promptCache\.ttl must be/],
    [{ promptCache: { ttl: "1h", more: 1 } }, /Unknown option "more" of promptCache/],
    [{ keyHeader: "Authorization" }, /^keyHeader must be/],
    [{ rules: { maxOutputTokens: 0 } }, /^rules\.maxOutputTokens must be/],
    [{ rules: { forcedTools: 1 } }, /^rules\.forcedTools must be/],
    [{ keyHeader: "x-api-key", client: { messages: { create: fetch } } }, /^keyHeader would have no effect/],
    [{ client: { messages: {} } }, /^client must be a client of @anthropic-ai\/sdk, with messages\.create/],
  ])("refuse %j", (options, message) => {
    expect(() => readModelOptions("m", options)).toThrow(message);
  });
});
