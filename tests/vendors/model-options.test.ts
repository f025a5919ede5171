import { readFileSync } from "node:fs";
import { bedrockDialect, FakeVendor } from "@troupe-internal/vendor-fakes";
import { Agent } from "@troupe/core";
import type { ModelOptions, ModelProvider } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import type { ModelCallOptions, RequestOmission } from "@troupe/core/provider";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { formats, settingRows, settingsTable } from "./model-options.ts";
import type { FormatName } from "./model-options.ts";

const look = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } };

/** Returns the body that a strict vendor gets for one call, and what was reported as left out. */
async function sent(connect: (url: string) => ModelProvider, options: ModelOptions) {
  const vendor = await FakeVendor.start({ strict: true, dialect: bedrockDialect });
  onTestFinished(() => vendor.close());
  vendor.say("Dry.");
  const omitted: RequestOmission[] = [];
  const onOmitted = (omission: RequestOmission) => void omitted.push(omission);
  const messages = [{ role: "user", content: "Weather?" }] as const;
  const listening: ModelCallOptions = { apiKey: "key-1", onOmitted, ...options };
  await collectResponse(connect(vendor.url).stream(messages, listening));
  expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  return { body: vendor.exchanges[0]?.request.body, omitted: omitted.map(({ what }) => what) };
}

function valueAt(body: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], body);
}

type Effort = NonNullable<NonNullable<ModelOptions["reasoning"]>["effort"]>;

const claude37 = "us.anthropic.claude-3-7-sonnet-20250219-v1:0";
const names = Object.keys(formats) as FormatName[];
const rows = Object.entries(settingRows);

it("every setting of model calls has a row", () => {
  const create = () => new Agent({ name: "a", model: new ScriptedModel(), modelOptions: { nothing: 1 } as object });

  for (const [name] of rows) expect(create).toThrow(new RegExp(`Expected .*\\b${name}\\b`));
  expect(
    String(messageOf(create))
      .split("Expected ")[1]
      ?.split(/, | or /),
  ).toHaveLength(rows.length);
});

function messageOf(create: () => unknown): unknown {
  try {
    return create();
  } catch (error) {
    return (error as Error).message;
  }
}

describe.each(names)("a request of the format %s", (name) => {
  const { connect, models } = formats[name];

  it.each(rows)(
    "has the setting %s in its field, or it is reported [model-options.every-vendor]",
    async (option, row) => {
      const cell = row[name];
      const options = { ...row.setting, ...(row.needsTools && { tools: [look] }) };
      const model = (cell !== "left out" && cell.model) || models[0];
      const { body, omitted } = await sent((url) => connect(url, model), options);

      const expected = cell === "left out" ? [option] : [];
      expect(omitted).toEqual(expected);
      expect(cell === "left out" ? cell : valueAt(body, cell.field)).toEqual(cell === "left out" ? cell : cell.value);
    },
  );

  it.each(models)("carries or reports each setting for %s [model-options.every-vendor]", async (model) => {
    const settings: ModelOptions[] = [
      ...rows.map(([, { setting }]) => setting),
      ...(["minimal", "low", "medium", "xhigh"] as const).map((effort) => ({ reasoning: { enabled: true, effort } })),
      { reasoning: { enabled: true, budgetTokens: 3000 } },
      { toolChoice: "required" },
      { toolChoice: "none" },
      { responseFormat: "json" },
      { seed: 2 ** 40 },
    ];
    const plain = await sent((url) => connect(url, model), { tools: [look] });
    for (const setting of settings) {
      const { body, omitted } = await sent((url) => connect(url, model), { tools: [look], ...setting });
      const isSent = JSON.stringify(body) !== JSON.stringify(plain.body);

      expect(isSent || omitted.length > 0, `${model}: ${JSON.stringify(setting)}`).toBe(true);
    }
  });
});

it.each<[FormatName, string, Effort, string, unknown]>([
  ["OpenAI Responses", "gpt-6.1-sol", "xhigh", "reasoning.effort", "xhigh"],
  ["OpenAI Responses", "gpt-6.1-sol", "minimal", "reasoning.effort", "low"],
  ["OpenAI Responses", "gpt-5.1", "none", "reasoning.effort", "none"],
  ["OpenAI Responses", "gpt-5.1", "minimal", "reasoning.effort", "low"],
  ["OpenAI Responses", "gpt-5.1", "xhigh", "reasoning.effort", "high"],
  ["OpenAI Responses", "gpt-5-mini", "minimal", "reasoning.effort", "minimal"],
  ["Chat Completions", "o3-mini", "xhigh", "reasoning_effort", "high"],
  ["Anthropic", "claude-opus-5-5", "minimal", "output_config.effort", "low"],
  ["Anthropic", "claude-opus-5-5", "xhigh", "output_config.effort", "xhigh"],
  ["Anthropic", "claude-haiku-4-5", "high", "thinking.budget_tokens", 24_576],
  ["Anthropic", "claude-opus-4-8", "none", "thinking", undefined],
  ["Gemini API", "gemini-3.8-flash", "minimal", "generationConfig.thinkingConfig.thinkingLevel", "MINIMAL"],
  ["Gemini API", "gemini-3-pro-preview", "medium", "generationConfig.thinkingConfig.thinkingLevel", "HIGH"],
  ["Gemini API", "gemini-2.5-flash", "low", "generationConfig.thinkingConfig.thinkingBudget", 2048],
  ["Gemini API", "gemini-2.5-flash", "none", "generationConfig.thinkingConfig.thinkingBudget", 0],
  ["Bedrock Converse", "us.anthropic.claude-opus-4-6-v1", "minimal", "outputConfig.effort", "low"],
  ["Bedrock Converse", "us.anthropic.claude-opus-4-6-v1", "xhigh", "outputConfig.effort", "xhigh"],
  ["Bedrock Converse", claude37, "low", "additionalModelRequestFields.thinking.budget_tokens", 2048],
  ["Ollama", "gpt-oss:20b", "xhigh", "think", "high"],
  ["Ollama", "qwen3:8b", "none", "think", false],
])(
  "%s has for %s the effort %s in its nearest form [model-options.nearest-effort]",
  async (...[name, model, effort, at, value]) => {
    const { body, omitted } = await sent((url) => formats[name].connect(url, model), {
      reasoning: { enabled: true, effort },
    });

    expect(omitted).toEqual([]);
    expect(valueAt(body, at)).toBe(value);
  },
);

it.each<[FormatName, string, string, unknown]>([
  ["OpenAI Responses", "gpt-6.1-sol", "reasoning.effort", "low"],
  ["Anthropic", "claude-opus-5-5", "output_config.effort", "low"],
  ["Gemini API", "gemini-2.5-pro", "generationConfig.thinkingConfig.thinkingBudget", 128],
  ["Gemini API", "gemini-3.8-flash", "generationConfig.thinkingConfig.thinkingLevel", "MINIMAL"],
])(
  "%s has the least effort for %s, which cannot do without, and it is reported [model-options.nearest-effort]",
  async (...[name, model, at, value]) => {
    const reasoning = { enabled: true, effort: "none" } as const;
    const { body, omitted } = await sent((url) => formats[name].connect(url, model), { reasoning });

    expect(omitted).toEqual(["reasoning.effort none"]);
    expect(valueAt(body, at)).toBe(value);
  },
);

it.each<[FormatName, string, string[]]>([
  ["OpenAI Responses", "gpt-6.1-sol", ["reasoning.enabled false"]],
  ["OpenAI Responses", "gpt-5.1", []],
  ["Chat Completions", "o3", ["reasoning.enabled false"]],
  ["Chat Completions", "gpt-4.1", []],
  ["Chat Completions", "llama-4-maverick", []],
  ["Anthropic", "claude-opus-5-5", ["reasoning.enabled false"]],
  ["Anthropic", "claude-opus-4-7", []],
  ["Anthropic", "claude-haiku-4-5", []],
  ["Gemini API", "gemini-3.8-flash", ["reasoning.enabled false"]],
  ["Gemini API", "gemini-2.5-pro", ["reasoning.enabled false"]],
  ["Gemini API", "gemini-2.5-flash", []],
  ["Gemini API", "gemini-2.0-flash", []],
  ["Bedrock Converse", "us.anthropic.claude-opus-5-5-v1:0", ["reasoning.enabled false"]],
  ["Bedrock Converse", "deepseek.r1-v1:0", ["reasoning.enabled false"]],
  ["Bedrock Converse", "us.anthropic.claude-opus-4-6-v1", []],
  ["Bedrock Converse", "amazon.nova-pro-v1:0", []],
  ["Ollama", "gpt-oss:20b", ["reasoning.enabled false"]],
  ["Ollama", "qwen3:8b", []],
])(
  "through %s, %s that is told not to think reports %j: what always thinks says so [model-options.reasoning-off]",
  async (name, model, expected) => {
    const reasoning = { enabled: false } as const;

    expect((await sent((url) => formats[name].connect(url, model), { reasoning })).omitted).toEqual(expected);
    expect((await sent((url) => formats[name].connect(url, model), {})).omitted).toEqual([]);
  },
);

it("docs/guide/models.md has the table of the settings", () => {
  const page = readFileSync(new URL("../../docs/guide/models.md", import.meta.url), "utf8");
  const bare = (text: string) => text.replaceAll(/ +\|/g, " |").replaceAll(/-+/g, "-");

  expect(bare(page)).toContain(bare(settingsTable()));
});

describe("options of the vendor's own", () => {
  const ask = async (name: FormatName, vendor: Record<string, unknown>, options: ModelOptions = {}) =>
    (
      await sent((url) => formats[name].connect(url, formats[name].models[0]), {
        ...options,
        vendor: { openai: vendor, anthropic: vendor, google: vendor, vertex: vendor, bedrock: vendor, ollama: vendor },
      })
    ).body;

  it("are merged into ours field by field, and their tools joined to ours [model-options.vendor-fields]", async () => {
    const search = { type: "web_search" };
    const claudeSearch = { type: "web_search_20250305", name: "web_search" };
    const options: ModelOptions = { tools: [look], reasoning: { enabled: true, effort: "low" } };

    expect(
      await ask("OpenAI Responses", { tools: [search], reasoning: { summary: "detailed" }, include: ["a.b"] }, options),
    ).toMatchObject({
      tools: [{ name: "look" }, search],
      reasoning: { effort: "low", summary: "detailed" },
      include: ["reasoning.encrypted_content", "a.b"],
    });
    expect(await ask("Anthropic", { tools: [claudeSearch] }, options)).toMatchObject({
      tools: [{ name: "look" }, claudeSearch],
    });
    expect(
      await ask(
        "Gemini API",
        { tools: [{ googleSearch: {} }], generationConfig: { topK: 4 } },
        { ...options, topP: 1 },
      ),
    ).toMatchObject({
      tools: [{ functionDeclarations: [{ name: "look" }] }, { googleSearch: {} }],
      generationConfig: { topK: 4, topP: 1 },
    });
    expect(await ask("Bedrock Converse", { inferenceConfig: { temperature: 1 } }, { topP: 1 })).toMatchObject({
      inferenceConfig: { temperature: 1, topP: 1 },
    });
    expect(await ask("Ollama", { options: { top_k: 4 } }, { topP: 1 })).toMatchObject({
      options: { top_k: 4, top_p: 1 },
    });
  });

  it("take the place of ours where they are of another kind [model-options.vendor-fields]", async () => {
    const { body } = await sent((url) => formats.Anthropic.connect(url, "claude-opus-4-8"), {
      tools: [look],
      toolChoice: { tool: "look" },
      vendor: { anthropic: { tool_choice: { type: "any" }, max_tokens: 9 } },
    });

    expect(body).toMatchObject({ tool_choice: { type: "any" }, max_tokens: 9 });
    expect(valueAt(body, "tool_choice")).toEqual({ type: "any" });
  });

  it.each(names)("do not change how the answer of %s comes [model-options.vendor-fields]", async (name) => {
    // Gemini and Bedrock have no such field: their streams have an address of their own.
    const isInAddress = name === "Gemini API" || name === "Vertex AI" || name === "Bedrock Converse";
    const vendor = isInAddress ? {} : { stream: false };

    expect(valueAt(await ask(name, vendor), "stream")).toBe(isInAddress ? undefined : true);
  });

  it("reach the vendor that they are for, and no other [model-options.vendor-fields]", async () => {
    const vendor = { openai: { service_tier: "flex" }, fireworks: { top_k: 1 }, constructor: {} };

    expect(await ask("Anthropic", {})).toEqual(
      (await sent((url) => formats.Anthropic.connect(url, "claude-opus-5-5"), { vendor })).body,
    );
  });
});
