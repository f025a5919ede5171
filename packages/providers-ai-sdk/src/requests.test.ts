import type { ChatMessage } from "@troupe/core";
import { PartReader } from "@troupe/core/provider";
import type { ModelCallOptions } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { toCallOptions } from "./to-call-options.ts";
import { calledIn, toPrompt } from "./to-prompt.ts";
import { keyHeadersOf, providerIdOf } from "./vendors.ts";
import { reportWarnings } from "./warnings.ts";

const vendors = [
  "openai",
  "azure",
  "anthropic",
  "google",
  "amazon-bedrock",
  "groq",
  "mistral",
  "xai",
  "acme",
  "toString",
];
const tools = [{ name: "look", description: "Looks.", parameters: { type: "object", properties: {} } }];
const strict = {
  type: "object",
  properties: { a: { type: "array", items: { type: "object", properties: {}, additionalProperties: false } } },
  required: ["a"],
  additionalProperties: false,
};
const format = (schema: object, name?: string) =>
  ({ type: "json_schema", schema, ...(name !== undefined && { name }) }) as ModelCallOptions["responseFormat"];

/** The options of a call, each by itself. */
const options: Readonly<Record<string, ModelCallOptions>> = {
  none: {},
  settings: { temperature: 0, topP: 1, maxTokens: 5, stop: ["é"], seed: 0 },
  "text and JSON": { responseFormat: "json" },
  text: { responseFormat: "text" },
  "a strict schema": { responseFormat: format(strict, "é") },
  "a schema with an optional field": { responseFormat: format({ ...strict, required: [] }) },
  "a schema that is open": { responseFormat: format({ ...strict, additionalProperties: true }) },
  "a schema that is open within": {
    responseFormat: format({ ...strict, properties: { a: { type: "object", properties: {} } } }),
  },
  "a schema without fields": { responseFormat: format({ type: "string" }) },
  tools: { tools },
  "a choice of tools": { tools, toolChoice: "required" },
  "no choice of tools": { tools, toolChoice: "none" },
  "one tool": { tools, toolChoice: { tool: "look" } },
  "one call at a time": { tools, parallelToolCalls: false },
  "calls at once": { tools, parallelToolCalls: true },
  "one call at a time, without tools": { parallelToolCalls: false },
  "no reasoning": { reasoning: { enabled: false } },
  reasoning: { reasoning: { enabled: true } },
  "high reasoning": { reasoning: { enabled: true, effort: "high" } },
  "reasoning within a budget": { reasoning: { enabled: true, budgetTokens: 100 } },
  "a budget without reasoning": { reasoning: { enabled: false, budgetTokens: 100 } },
  "a key of the cache": { cacheKey: "é" },
  "options of the vendor": {
    vendor: Object.fromEntries([...vendors, "other"].map((name) => [name, { store: true, own: 1 }])),
  },
};

// What a package of the AI SDK gets. If a change is meant, write the outlines anew by `vitest --update`.
describe.each(["v3", "v4"])("the call options of specification %s", (version) => {
  it("are these for each vendor and each option", async () => {
    const lines = vendors.flatMap((providerId) =>
      Object.entries(options).map(([title, given]) => {
        const omitted: string[] = [];
        const reportOmitted = (...facts: unknown[]) => void omitted.push(facts.join(": "));
        const context = { providerId, modelId: "m", version, reportOmitted, calledTools: [] } as never;
        const read = toCallOptions(given, context);
        return `${providerId}, ${title}: ${[JSON.stringify(read), ...omitted].join(" ! ")}`;
      }),
    );

    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`../test/outlines/options-${version}.txt`);
  });
});

it.each(["v3", "v4"])("the caller's own options of a vendor go before every option of ours, for %s", (version) => {
  for (const providerId of vendors) {
    const context = { providerId, modelId: "m-5", version, reportOmitted: () => {}, calledTools: [] } as never;
    const read = (given: ModelCallOptions) =>
      Object.values(toCallOptions(given, context)["providerOptions"] ?? {}) as Record<string, unknown>[];
    for (const given of Object.values(options)) {
      const [ours = {}] = read({ ...given, vendor: {} });
      const own = Object.fromEntries(Object.keys(ours).map((name) => [name, "own"]));
      expect(read({ ...given, vendor: { [providerId]: own } })[0] ?? {}).toEqual(own);
    }
  }
});

it("the tools that the history calls are sent where there are none, so that the vendor takes the history", () => {
  const context = { providerId: "acme", modelId: "m", version: "v4", reportOmitted: () => undefined };
  const names = (given: object, calledTools: string[]) =>
    (toCallOptions(given, { ...context, calledTools })["tools"] as { name: string }[] | undefined)?.map(
      ({ name }) => name,
    );

  expect([names({}, ["gone"]), names({ tools }, ["gone"]), names({}, [])]).toEqual([["gone"], ["look"], undefined]);
});

it.each([
  ["claude-opus-4-5", false],
  ["claude-opus-4-6", true],
  ["claude-opus-4-60", false],
  ["claude-sonnet-5", true],
  ["claude-sonnet-5-1", true],
  ["claude-opus-5-5", true],
  ["claude-opus-4-1-20250805", false],
  ["claude-sonnet-4-20250514", false],
  ["claude-3-5-sonnet-20241022", false],
  ["claude-3-7-sonnet-latest", false],
  ["claude-sonnet-50", false],
])("the thinking of Anthropic's %s is asked for: %s", (modelId, isAsked) => {
  const context = { providerId: "anthropic", modelId, version: "v4", reportOmitted: () => undefined, calledTools: [] };
  const { providerOptions } = toCallOptions({ reasoning: { enabled: true } }, context);

  expect(providerOptions !== undefined).toBe(isAsked);
});

it.each([
  ["openai.responses", "openai"],
  ["google.vertex.chat", "vertex"],
  ["vertex.anthropic", "vertex"],
  ["vertexed", "vertexed"],
  ["google.generative-ai", "google"],
  ["bedrock", "amazon-bedrock"],
  ["bedrock.chat", "amazon-bedrock"],
  ["amazon-bedrock", "amazon-bedrock"],
  ["", "ai-sdk"],
  [".x", "ai-sdk"],
])("the provider %j has the id %s", (provider, id) => {
  expect(providerIdOf(provider)).toBe(id);
});

it.each([
  ["openai", { authorization: "Bearer é" }],
  ["anthropic", { "x-api-key": "é" }],
  ["google", { "x-goog-api-key": "é" }],
  ["groq", { authorization: "Bearer é" }],
  ["mistral", { authorization: "Bearer é" }],
  ["xai", { authorization: "Bearer é" }],
])("a caller's key replaces all credentials of %s", (providerId, header) => {
  const empty = { authorization: undefined, "api-key": undefined, "x-api-key": undefined, "x-goog-api-key": undefined };

  expect(keyHeadersOf(providerId, "é")).toEqual({ ...empty, ...header });
});

it.each(["azure", "amazon-bedrock", "acme", "toString"])("%s takes no key in a header", (providerId) => {
  expect(keyHeadersOf(providerId, "k")).toBeUndefined();
});

describe("the warnings of a package", () => {
  it.each<[object, unknown[], unknown[]]>([
    [{ type: "unsupported", feature: "seed" }, ["seed", "the AI SDK's package does not support it for this model"], []],
    [
      { type: "unsupported-setting", setting: "stopSequences", details: "é" },
      ["stop", expect.any(String)],
      ["stopSequences: é"],
    ],
    [
      { type: "compatibility", feature: "maxOutputTokens" },
      ["maxTokens", "the AI SDK's package uses it in a compatibility mode"],
      [],
    ],
    [
      { type: "deprecated", setting: "a b.c:d'e/f-g" },
      ["a b.c:d'e/f-g", "the AI SDK's package calls it deprecated"],
      [],
    ],
    [{ type: "other", message: "words" }, ["a setting", "the AI SDK's package warns about it"], ["a setting: words"]],
    [{ type: "toString", feature: "x".repeat(64) }, ["x".repeat(64), "the AI SDK's package warns about it"], []],
    [{ type: "x", feature: "x".repeat(65) }, ["a setting", expect.any(String)], []],
    [{ type: "x", feature: "é" }, ["a setting", expect.any(String)], []],
    [{ type: "x", feature: "a", details: "y".repeat(201) }, ["a", expect.any(String)], [`a: ${"y".repeat(200)}`]],
  ])("%j are reported as %j, and their words are logged", (warning, report, words) => {
    const [reported, logged]: [unknown[], unknown[]] = [[], []];
    const logger = { debug: (line: string) => logged.push(line) } as never;
    reportWarnings([warning], { reportOmitted: (...facts: unknown[]) => void reported.push(facts), logger });

    expect([reported, logged]).toEqual([[report], words]);
  });
});

const call = (id: string, name = "look", input: Record<string, unknown> = { é: 1 }) => ({ id, name, arguments: input });
const result = (toolCallId: string, content: ChatMessage["content"] = "é"): ChatMessage => ({
  role: "tool",
  content,
  toolCallId,
});
const answer = (content: string | null, ...toolCalls: ReturnType<typeof call>[]): ChatMessage => ({
  role: "assistant",
  content,
  ...(toolCalls.length > 0 && { toolCalls }),
});
const user = (content: ChatMessage["content"] = "Hi."): ChatMessage => ({ role: "user", content });
const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;

/** Conversations, each with what decides about its prompt. */
const conversations: Readonly<Record<string, readonly ChatMessage[]>> = {
  "instructions before and within": [
    { role: "system", content: "a" },
    { role: "system", content: "" },
    { role: "system", content: "é" },
    user(),
    { role: "system", content: "late" },
  ],
  "messages of the user in a row, some blank": [
    user(),
    user(" "),
    user([{ type: "text", text: "" }, image]),
    user("b"),
  ],
  "an answer first": [answer("a"), user()],
  "answers in a row, and one at the end": [user(), answer("a"), answer(" "), answer("b")],
  "calls with all results, in another order": [
    user(),
    answer("a", call("1"), call("2")),
    result("2"),
    result("1", [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]),
    answer("c"),
    user(),
  ],
  "calls without results": [user(), answer(null, call("1"), call("2")), result("2"), user("b")],
  "results without calls, and twice": [user(), result("9"), answer(null, call("1")), result("1"), result("1"), user()],
  "ids that are the same, that are long and that are wrong": [
    user(),
    answer(null, call("1"), call("1"), call("é/1"), call(""), call("x".repeat(61))),
    result("1", "first"),
    result("1", "second"),
    answer(null, call("1")),
    result("1", "third"),
  ],
  "names that no vendor takes": [
    user(),
    answer(null, call("1", "é x"), call("2", ""), call("3", "constructor"), call("4", "y".repeat(65))),
  ],
  "results with images": [user(), answer(null, call("1")), result("1", [{ type: "text", text: "a" }, image])],
  "a result of nothing": [user(), answer(null, call("1")), result("1", null)],
};

describe.each(["v3", "v4"])("the prompts of specification %s", (version) => {
  const context = (omitted: string[], messages: readonly ChatMessage[]) => {
    const reportOmitted = (...facts: unknown[]) => void omitted.push(facts.join(": "));
    const partReader = new PartReader(messages, reportOmitted, { isPrivateUrl: () => false });
    const model = { providerId: "acme", modelId: "m", version, parts: ["image", "audio", "file"], urls: {} };
    return { ...model, partReader, reportOmitted } as never;
  };

  it("are these for each conversation", async () => {
    const lines = Object.entries(conversations).flatMap(([title, messages]) => {
      const omitted: string[] = [];
      const prompt = toPrompt(messages, context(omitted, messages));
      const called = `calls ${JSON.stringify(calledIn(prompt))}`;
      return [
        `# ${title}`,
        ...prompt.map((each) => JSON.stringify(each)),
        called,
        ...omitted.map((each) => `! ${each}`),
        "",
      ];
    });

    await expect(lines.join("\n")).toMatchFileSnapshot(`../test/outlines/prompts-${version}.txt`);
  });

  it.each<[ChatMessage[]]>([[[]], [[user(" ")]], [[{ role: "system", content: "a" }]]])(
    "are refused if nobody says anything: %j",
    (messages) => {
      expect(() => toPrompt(messages, context([], messages))).toThrow(
        expect.objectContaining({
          code: "invalid_request",
          message: "acme needs at least one message of the user's that is not empty.",
          fields: { vendor: "acme" },
        }),
      );
    },
  );
});
