import type { ChatMessage, ModelOptions } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { rulesOf } from "../model-rules.ts";
import type { ModelRules } from "../model-rules.ts";
import * as presets from "./presets.ts";
import type { Preset } from "./presets.ts";
import { vendors } from "./vendors.ts";
import type { PresetName } from "./vendors.ts";

const made = presets as unknown as Readonly<Record<PresetName, Preset>>;
const names = Object.keys(vendors) as PresetName[];

/** The rules in which a server differs, each with the value that it would have without the difference. */
const differences: Readonly<Record<PresetName, Partial<ModelRules>>> = {
  cerebras: {},
  deepseek: { jsonSchema: true },
  fireworks: {},
  groq: { reasoningStyle: "effort" },
  llamacpp: { toolChoice: "named" },
  lmstudio: { jsonObject: true },
  mistral: { toolChoice: "named", shortCallIds: false, seedField: "seed" },
  openrouter: { reasoningStyle: "effort", efforts: ["low", "medium", "high"] },
  together: {},
  vllm: {},
  xai: { reasoningApart: false, stop: true, maxTokensField: "max_tokens" },
};
const rows = names.flatMap((name) =>
  Object.entries(differences[name]).map(([rule, value]) => [name, rule, { [rule]: value }] as const),
);

const tools = ["look", "wait"].map((name) => ({
  name,
  description: "",
  parameters: { type: "object", properties: {} },
}));
const calls: ModelOptions[] = [
  { maxTokens: 5, stop: ["é"], seed: 7 },
  { responseFormat: "json" },
  { responseFormat: { type: "json_schema", schema: { type: "object", properties: {} } } },
  { tools, toolChoice: { tool: "look" } },
  { tools, toolChoice: "required" },
  { reasoning: { enabled: true, effort: "minimal" } },
  { reasoning: { enabled: true, effort: "high" } },
];
const conversation: ChatMessage[] = [
  { role: "user", content: "Hi." },
  { role: "assistant", content: "", toolCalls: [{ id: "call_of_another_vendor", name: "look", arguments: {} }] },
  { role: "tool", content: "rain", toolCallId: "call_of_another_vendor" },
];

const usage = {
  prompt_tokens: 1,
  completion_tokens: 2,
  total_tokens: 10,
  completion_tokens_details: { reasoning_tokens: 7 },
};

/** Makes a model whose server answers with a message. Returns the model and the bodies of its requests. */
function connect(name: PresetName, message: object, rules: Partial<ModelRules> = {}) {
  const bodies: string[] = [];
  const fetch = async (_url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    bodies.push(await new Response(init?.body).text());
    return Response.json({ choices: [{ index: 0, message, finish_reason: "stop" }], usage });
  };
  const model = made[name]("m", {
    apiKey: "k",
    fetch,
    useEnvironmentKey: true,
    rules,
  });
  return { model, bodies };
}

/** Returns all that a server gets, and what is read of its answers. */
async function observe(name: PresetName, rules?: Partial<ModelRules>): Promise<string> {
  const { model, bodies } = connect(name, { role: "assistant", content: "Hello." }, rules);
  const read: unknown[] = [];
  for (const options of calls) read.push((await model.generate([{ role: "user", content: "Hi." }], options)).usage);
  await model.generate(conversation, { tools });
  return JSON.stringify([bodies, read]);
}

describe("the differences of servers by rule", () => {
  it.each(names)("are all listed here for %s", (name) => {
    const { baseURL = "" } = vendors[name];
    const host = new URL(baseURL).hostname;
    const own: ModelRules = { ...rulesOf({ id: "m", host }), ...("rules" in vendors[name] ? vendors[name].rules : {}) };
    const others = rulesOf({ id: "m", host: "server.example" });
    const differing = Object.entries(own).filter(
      ([rule, value]) => JSON.stringify(value) !== JSON.stringify(others[rule as keyof ModelRules]),
    );

    expect(Object.fromEntries(differing.map(([rule]) => [rule, others[rule as keyof ModelRules]]))).toEqual(
      differences[name],
    );
  });

  it.each(rows)(
    "%s: without the difference in %s, its server gets or gives something else",
    async (name, _, altered) => {
      expect(await observe(name, altered)).not.toBe(await observe(name));
    },
  );

  it.each(names.filter((name) => Object.keys(differences[name]).length === 0))(
    "%s gets what any server gets",
    async (name) => {
      expect(await observe(name)).toBe(await observe("vllm"));
    },
  );
});

/** Answers with thoughts, in the fields of the vendors. */
const thoughts: readonly (readonly [PresetName, string, object])[] = [
  ["vllm", "the field reasoning", { content: "Yes.", reasoning: "Hm." }],
  ["vllm", "the field reasoning_content", { content: "Yes.", reasoning_content: "Hm." }],
  ["deepseek", "the field reasoning_content", { content: "Yes.", reasoning_content: "Hm." }],
  ["groq", "the field reasoning", { content: "Yes.", reasoning: "Hm." }],
  [
    "mistral",
    "a part of the content",
    {
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
        { type: "text", text: "Yes." },
      ],
    },
  ],
];

describe("thoughts of servers", () => {
  it.each(thoughts)("%s: are read in %s", async (name, _, message) => {
    const { model } = connect(name, { role: "assistant", ...message });

    expect(await model.generate([{ role: "user", content: "Hi." }])).toMatchObject({ text: "Yes.", thinking: "Hm." });
  });

  const called = [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }];
  const details = [{ type: "reasoning.text", text: "Hm.", index: 0, signature: "s" }];

  it.each<[PresetName, object, object]>([
    ["deepseek", { reasoning_content: "Hm." }, { reasoning_content: "Hm." }],
    ["openrouter", { reasoning: "Hm.", reasoning_details: details }, { reasoning_details: details }],
  ])("%s: go back with the result of a tool", async (name, sent, expected) => {
    const { model, bodies } = connect(name, { role: "assistant", content: "", tool_calls: called, ...sent });
    const question = { role: "user", content: "Hi." } as const;
    const { text, toolCalls, vendorState } = await model.generate([question], { tools });
    const answer: ModelMessage = { role: "assistant", content: text, toolCalls, ...(vendorState && { vendorState }) };
    await model.generate([question, answer, { role: "tool", content: "rain", toolCallId: "c1" }], { tools });
    const { messages } = JSON.parse(bodies[1] ?? "") as { messages: object[] };

    expect(messages[1]).toMatchObject(expected);
  });

  it("xai: its tokens of reasoning are added, and those of others are a part of the answer's", async () => {
    const tokensOf = async (name: PresetName) =>
      (await connect(name, { role: "assistant", content: "Yes." }).model.generate([{ role: "user", content: "Hi." }]))
        .usage.completionTokens;

    expect([await tokensOf("xai"), await tokensOf("groq")]).toEqual([9, 2]);
  });

  it("groq: thoughts are asked for apart, and no message has a name", async () => {
    const { model, bodies } = connect("groq", { role: "assistant", content: "Yes." });
    const named: ChatMessage[] = [{ role: "user", content: "Hi.", name: "Ann" }];
    await model.generate(named, { reasoning: { enabled: true } });

    expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ reasoning_format: "parsed" });
    expect(bodies[0]).not.toContain('"name"');
  });

  it("vllm: an error without the outer object has its words", async () => {
    const fetch = async () => Response.json({ object: "error", message: "Too long.", code: 400 }, { status: 400 });
    const model = made.vllm("m", { fetch });

    await expect(collectResponse(model.stream([{ role: "user", content: "Hi." }]))).rejects.toMatchObject({
      status: 400,
      cause: { message: "Too long." },
    });
  });
});
