import type { ChatMessage } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { contextOf } from "../test/request-context.ts";
import { addCachePoints } from "./cache-points.ts";
import { CallIds } from "./call-ids.ts";
import { rulesOf } from "./model-rules.ts";
import { toRequest } from "./to-request.ts";

/** Ids of models, with at least one of each family, and neighbours that belong to another. */
const models = [
  "claude-instant-v1 claude-v2:1 claude-3-7-sonnet claude-3-5-haiku claude-3-5-sonnet claude-3-opus",
  "claude-opus-4-5 claude-haiku-4-50 claude-opus-4-6 claude-sonnet-4-6 claude-opus-4-60",
  "claude-haiku-4-7 claude-opus-4-8 claude-opus-4-1 claude-opus-4-10 claude-sonnet-4-20250514",
  "claude-sonnet-40 claude-opus-5-5 nova-2-lite nova-micro nova-pro llama3-2-1b llama3-2-3b",
  "llama3-2-11b llama3-2-90b llama4-scout llama3-1-8b llama3-3-70b llama3-8b pixtral-large",
  "mistral-large mistral-small mixtral-8x7b mistral-7b mistral-other deepseek.r1 deepseek.v3 new-model",
].flatMap((ids) => ids.split(" "));
const written = [
  "claude-opus-5-5 claude-opus-4-8 claude-opus-4-5 claude-3-5-sonnet claude-v2:1 nova-2-lite nova-pro",
  "llama3-3-70b mistral-large mixtral-8x7b deepseek.r1 deepseek.v3 new-model",
].flatMap((ids) => ids.split(" "));

const closed = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
const tools = [
  { name: "look", description: "Looks.", parameters: { $schema: "s", type: "object", properties: {}, title: "T" } },
  { name: "other", description: "", parameters: { $defs: { x: {} }, required: ["a"] } },
];
const format = (schema: object, name?: string) => ({
  type: "json_schema",
  schema,
  ...(name !== undefined && { name }),
});

/** The options of a call, each by itself. */
const options: Readonly<Record<string, object>> = {
  none: {},
  settings: { temperature: 0, topP: 1, maxTokens: 5, stop: ["é", " "], seed: 0 },
  "one setting": { topP: 0.5 },
  JSON: { responseFormat: "json" },
  text: { responseFormat: "text" },
  "a schema that is closed": { responseFormat: format({ $schema: "s", ...closed }, "é x") },
  "a schema without a name": { responseFormat: format(closed, "") },
  "a schema that is open": { responseFormat: format({ ...closed, additionalProperties: true }) },
  "a schema with a limit": {
    responseFormat: format({ ...closed, properties: { a: { type: "string", minLength: 1 } } }),
  },
  "a list without items": { responseFormat: format({ ...closed, properties: { a: { type: "array" } } }) },
  "a choice that is open": {
    responseFormat: format({ ...closed, properties: { a: { anyOf: [closed, { type: "object" }] } } }),
  },
  tools: { tools },
  "any tool": { tools, toolChoice: "required" },
  "no tool": { tools, toolChoice: "none" },
  "a named tool": { tools, toolChoice: { tool: "other" } },
  "single calls": { tools, parallelToolCalls: false },
  "single calls of any tool": { tools, parallelToolCalls: false, toolChoice: "required" },
  "single calls of a named tool": { tools, parallelToolCalls: false, toolChoice: { tool: "look" } },
  "a named tool while it thinks": { tools, toolChoice: { tool: "look" }, reasoning: { enabled: true } },
  "no reasoning": { reasoning: { enabled: false } },
  reasoning: { reasoning: { enabled: true }, maxTokens: 10, temperature: 1 },
  "reasoning without a limit": { reasoning: { enabled: true } },
  ...Object.fromEntries(
    ["none", "minimal", "low", "medium", "high", "xhigh"].map((effort) => [
      `the effort ${effort}`,
      { reasoning: { enabled: true, effort }, maxTokens: 50_000 },
    ]),
  ),
  ...Object.fromEntries(
    [1023, 2048, 2049, 8192, 8193, 24_576, 24_577].map((budgetTokens) => [
      `the budget ${budgetTokens}`,
      { reasoning: { enabled: true, budgetTokens } },
    ]),
  ),
};

const user = (content: ChatMessage["content"] = "Hi."): ChatMessage => ({ role: "user", content });
const system = (content: string): ChatMessage => ({ role: "system", content });

// What the vendor gets and sends. If a change is meant, write the outlines anew by `vitest --update`.
describe("the requests to Bedrock", () => {
  it("follow these rules for each model", async () => {
    const lines = models.map((id) => `${id}: ${JSON.stringify(rulesOf(`us.vendor.${id}-v1:0`))}`);

    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../test/outlines/rules.txt");
    expect(rulesOf("nova-pro", { images: false, ...({ documents: undefined } as object) })).toMatchObject({
      images: false,
      documents: true,
    });
  });

  it("are these for each family of models and each option", async () => {
    const lines = written.flatMap((id) =>
      Object.entries(options).map(([title, given]) => {
        const { context, omitted } = contextOf({}, `us.vendor.${id}-v1:0`);
        const { messages: _, ...body } = toRequest([user()], given, context);
        return `${id}, ${title}: ${[JSON.stringify(body), ...omitted].join(" ! ")}`;
      }),
    );

    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../test/outlines/requests.txt");
  });

  it.each(["oneOf", "anyOf", "allOf"])("refuse a tool whose parameters are a choice by %s", (keyword) => {
    const { context } = contextOf();
    const asked = { tools: [{ name: "é", description: "", parameters: { [keyword]: [] } }] };

    expect(() => toRequest([user()], asked, context)).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringContaining("give those of é one object"),
      }),
    );
  });

  it("have the instructions in their place, and those behind the first in a block of their own", async () => {
    const conversations = [
      [system("a"), system(" "), user(), system("late"), system("later")],
      [user(), system(""), user("b")],
    ];
    const lines = ["nova-pro", "mixtral-8x7b"].flatMap((id) =>
      conversations.map((messages) => {
        const { context } = contextOf({}, `us.vendor.${id}-v1:0`);
        const body = toRequest(messages, { responseFormat: "json" }, context);
        return `${id}: ${JSON.stringify({ system: body.system, messages: body.messages })}`;
      }),
    );

    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../test/outlines/instructions.txt");
  });

  it("have cache points behind tools, instructions and the user's last two messages", () => {
    const point = { cachePoint: { type: "default" } };
    const long = { cachePoint: { type: "default", ttl: "1h" } };
    const message = (role: "user" | "assistant", text: string, ...more: object[]) => ({
      role,
      content: [{ text }, ...more],
    });
    const make = (promptCache: object | false, cachePoints: "all" | "prompt" | "none", isSingle = false) => {
      const messages = [message("user", "a"), message("user", "b"), message("assistant", "c"), message("user", "d")];
      const body = { messages, system: [{ text: "s" }], toolConfig: { tools: [{ toolSpec: {} }] } };
      addCachePoints(body as never, { promptCache, rules: { cachePoints }, isSingle } as never);
      return body;
    };
    const plain = make(false, "all");
    const marked = [
      message("user", "a"),
      message("user", "b", point),
      message("assistant", "c"),
      message("user", "d", point),
    ];

    expect(plain.system).toEqual([{ text: "s" }]);
    expect(make({}, "none")).toEqual(plain);
    expect(make({}, "prompt")).toEqual({ ...plain, messages: marked, system: [{ text: "s" }, point] });
    expect(make({ ttl: "1h" }, "all")).toEqual({
      messages: marked,
      system: [{ text: "s" }, long],
      toolConfig: { tools: [{ toolSpec: {} }, long] },
    });
    expect(make({}, "prompt", true).messages).toEqual(plain.messages);
    const own = { messages: [message("user", "a", point)], system: [{ text: "s" }] };
    addCachePoints(own as never, { promptCache: {}, rules: { cachePoints: "all" }, isSingle: false } as never);
    expect(own.system).toEqual([{ text: "s" }]);
  });
});

describe("the ids of calls", () => {
  it.each<["long" | "short", string[], string[]]>([
    ["long", ["é-1_x", "", "x".repeat(65)], ["_-1_x", "call", "x".repeat(64)]],
    ["long", ["a", "a", "a"], ["a", "a_2", "a_3"]],
    ["long", ["x".repeat(64), "x".repeat(64)], ["x".repeat(64), `${"x".repeat(56)}_2`]],
    ["short", ["tooluse_abc-DEF123456", "", "é"], ["DEF123456", "000000000", "000000002"]],
  ])("of the form %s for %j are %j", (form, given, sent) => {
    const ids = new CallIds(form);

    expect(given.map((id) => ids.open(id))).toEqual(sent);
  });

  it("the ids of calls of the short form have nine letters and digits and differ, however many are alike", () => {
    const ids = new CallIds("short");
    const opened = Array.from({ length: 101 }, () => ids.open("123456789"));

    expect(new Set(opened).size).toBe(101);
    expect(opened.filter((id) => !/^[a-zA-Z0-9]{9}$/.test(id))).toEqual([]);
  });

  it("are those of the calls without a result, each once, in their order", () => {
    const ids = new CallIds("long");
    for (const id of ["a", "b", "a"]) ids.open(id);

    expect([ids.take("a"), ids.take("a"), ids.take("a"), ids.take("z")]).toEqual(["a", "a_2", undefined, undefined]);
    ids.open("c");
    expect([ids.takeAll(), ids.takeAll()]).toEqual([["b", "c"], []]);
  });
});
