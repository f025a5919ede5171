import { readFileSync } from "node:fs";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { defineTool } from "@troupe/core";
import type { ChatMessage, ModelOptions, ModelProvider } from "@troupe/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { failureOf, question, startVendor, streamed } from "../../test/ask.ts";
import {
  cerebras,
  deepseek,
  fireworks,
  groq,
  llamacpp,
  lmstudio,
  mistral,
  openrouter,
  together,
  vllm,
  xai,
} from "./presets.ts";
import type { Preset } from "./presets.ts";
import { vendors } from "./vendors.ts";
import type { PresetName } from "./vendors.ts";

const presets: Readonly<Record<PresetName, Preset>> = {
  cerebras,
  deepseek,
  fireworks,
  groq,
  llamacpp,
  lmstudio,
  mistral,
  openrouter,
  together,
  vllm,
  xai,
};
const names = Object.keys(vendors) as PresetName[];
const inCloud = names.filter((name) => vendors[name].environment.length > 0);
const onMachine = names.filter((name) => !inCloud.includes(name));
const look = defineTool({ name: "look", description: "Looks.", parameters: { type: "object" }, execute: () => "rain" });
const wait = { ...look, name: "wait" };

/** Sets environment variables until the end of the test. */
function stub(variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Calls a model whose requests fail, and returns the URL and the key of the request. */
async function requestOf(make: (fetch: typeof globalThis.fetch) => ModelProvider, options?: ModelOptions) {
  const sent = vi.fn<typeof fetch>().mockRejectedValue(new Error("not sent"));
  await make(sent)
    .generate(question, options)
    .catch(() => undefined);
  const [url, init] = sent.mock.calls[0] ?? [];
  return { url, key: new Headers(init?.headers).get("authorization") };
}

/** Returns the body of the request that a preset sends to a server of Chat Completions. */
async function bodyOf(
  name: PresetName,
  options: ModelOptions,
  { messages = question, rules }: { messages?: ChatMessage[]; rules?: object } = {},
): Promise<Record<string, unknown>> {
  const vendor = (await FakeVendor.start()).say("Yes.");
  onTestFinished(() => vendor.close());
  const model = presets[name]("m", { apiKey: "k", baseURL: `${vendor.url}/v1`, ...(rules !== undefined && { rules }) });
  await model.generate(messages, options);
  return vendor.exchanges[0]?.request.body as Record<string, unknown>;
}

describe("a preset", () => {
  it.each(inCloud)("a preset of %s sends the key of its own variable to its own host", async (name) => {
    const [variable = ""] = vendors[name].environment;
    stub({ [variable]: `sk-of-${name}`, OPENAI_API_KEY: "sk-of-openai" });

    expect(await requestOf((fetch) => presets[name]("m", { fetch }))).toEqual({
      url: `${vendors[name].baseURL}/chat/completions`,
      key: `Bearer sk-of-${name}`,
    });
    const elsewhere = { baseURL: "http://127.0.0.1:9/v1" };
    expect((await requestOf((fetch) => presets[name]("m", { fetch, ...elsewhere }))).key).toBeNull();
    const given = { ...elsewhere, useEnvironmentKey: true };
    expect((await requestOf((fetch) => presets[name]("m", { fetch, ...given }))).key).toBe(`Bearer sk-of-${name}`);
  });

  it.each(inCloud)("a preset of %s without a key says where it takes one from", async (name) => {
    const [variable = ""] = vendors[name].environment;
    stub({ [variable]: "" });
    const { code, message } = await failureOf(presets[name]("m").generate(question));

    expect(code).toBe("unauthorized");
    expect(message).toContain(`x-${name}-api-key`);
    expect(message).toContain(variable);
  });

  it.each(onMachine)("a preset of %s needs no key, and sends none of the environment", async (name) => {
    stub({ OPENAI_API_KEY: "sk-of-openai" });

    expect(await requestOf((fetch) => presets[name]("m", { fetch }))).toEqual({
      url: `${vendors[name].baseURL}/chat/completions`,
      key: null,
    });
    expect((await requestOf((fetch) => presets[name]("m", { fetch }), { apiKey: "sk-call" })).key).toBe(
      "Bearer sk-call",
    );
  });

  it.each(names)("a preset of %s is called by its own name, and answers whole and streamed", async (name) => {
    const vendor = (await startVendor({ strict: false })).respond(() => ({ answer: "Yes." }));
    const model = presets[name]("m", { apiKey: "k", baseURL: `${vendor.url}/v1` });

    expect(model.providerId).toBe(name);
    expect((await model.generate(question)).text).toBe("Yes.");
    expect((await streamed(model)).at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
  });

  it("has fields of the vendor under its own id alone", async () => {
    const vendor = { groq: { service_tier: "flex" }, openai: { service_tier: "auto" } };

    expect(await bodyOf("groq", { vendor })).toMatchObject({ service_tier: "flex" });
  });

  it("refuses a wrong option before any call", () => {
    expect(() => groq("")).toThrow(/^modelId must be/);
    expect(() => groq("m", { baseURL: "nowhere" })).toThrow(/^baseURL must be/);
  });
});

describe("what servers do differently", () => {
  const rulesOfMistral = { toolChoice: "any", shortCallIds: true, seedField: "random_seed" } as const;
  const tools = [look, wait];

  it.each<[string, ModelOptions["toolChoice"], object]>([
    ["required", "required", { tool_choice: "any", tools: [{}, {}] }],
    ["one tool", { tool: "wait" }, { tool_choice: "any", tools: [{ function: { name: "wait" } }] }],
    ["auto", "auto", { tool_choice: "auto", tools: [{}, {}] }],
  ])("asks Mistral in its own words for %s", async (_, toolChoice, expected) => {
    expect(await bodyOf("mistral", { tools, toolChoice }, { rules: rulesOfMistral })).toMatchObject(expected);
  });

  it("requires one tool of llama.cpp by leaving out the others", async () => {
    const body = await bodyOf("llamacpp", { tools, toolChoice: { tool: "look" } });

    expect(body).toMatchObject({ tool_choice: "required", tools: [{ function: { name: "look" } }] });
  });

  it("gives Mistral short ids, the same in a call and its result, and its name of the seed", async () => {
    const toolCalls = [{ id: "call_of_another_vendor", name: "look", arguments: {} }];
    const messages: ChatMessage[] = [
      ...question,
      { role: "assistant", content: "", toolCalls },
      { role: "tool", content: "rain", toolCallId: "call_of_another_vendor" },
    ];
    const body = await bodyOf("mistral", { tools, seed: 7 }, { messages, rules: rulesOfMistral });
    const [, call, result] = body["messages"] as { tool_calls?: { id: string }[]; tool_call_id?: string }[];

    expect(body).toMatchObject({ random_seed: 7 });
    expect(body).not.toHaveProperty("seed");
    expect(call?.tool_calls?.[0]?.id).toMatch(/^[a-z0-9]{9}$/);
    expect(result?.tool_call_id).toBe(call?.tool_calls?.[0]?.id);
  });

  it("asks LM Studio for no JSON without a schema", async () => {
    const responseFormat = { type: "json_schema", schema: { type: "object" } } as const;
    const body = await bodyOf("lmstudio", { responseFormat }, { rules: { jsonSchema: false } });

    expect(body).not.toHaveProperty("response_format");
  });
});

describe("the guide of presets", () => {
  const page = readFileSync(new URL("../../../../docs/guide/vendor-presets.md", import.meta.url), "utf8");

  it.each(names)("names the address and the variable of %s", (name) => {
    const row = page.split("\n").find((line) => new RegExp(`^\\| \`${name}\` +\\|`).test(line));

    expect(row).toContain(vendors[name].baseURL);
    for (const variable of vendors[name].environment) expect(row).toContain(variable);
  });
});
