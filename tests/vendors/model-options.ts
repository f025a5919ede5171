import type { ModelProvider, ModelSettings } from "@troupe/core";
import { anthropic } from "@troupe/providers-anthropic";
import { bedrock } from "@troupe/providers-bedrock";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";
import { vertex } from "@troupe/providers-vertex";

/** The request formats, each with a function that creates a model whose requests have it. The first model is the default. */
export const formats = {
  "OpenAI Responses": {
    connect: (url: string, id: string): ModelProvider => openai(id, { baseURL: `${url}/v1`, api: "responses" }),
    models: ["gpt-6.1-sol", "gpt-4.1", "gpt-5.1", "gpt-3.5-turbo", "o3-mini"],
  },
  "Chat Completions": {
    connect: (url: string, id: string): ModelProvider => openai(id, { baseURL: `${url}/v1`, api: "chat" }),
    models: ["gpt-4.1", "gpt-6.1-sol", "gpt-3.5-turbo", "o3-mini"],
  },
  Anthropic: {
    connect: (url: string, id: string): ModelProvider => anthropic(id, { baseURL: url }),
    models: ["claude-opus-5-5", "claude-opus-4-8", "claude-haiku-4-5", "claude-3-5-haiku-latest"],
  },
  "Gemini API": {
    connect: (url: string, id: string): ModelProvider => google(id, { baseURL: url }),
    models: ["gemini-3.8-flash", "gemini-2.5-pro", "gemini-2.0-flash", "gemma-3-27b-it"],
  },
  "Vertex AI": {
    connect: (url: string, id: string): ModelProvider => vertex(id, { baseURL: url }),
    models: ["gemini-3.8-flash", "gemini-2.5-pro", "gemini-2.0-flash"],
  },
  "Bedrock Converse": {
    connect: (url: string, id: string): ModelProvider => bedrock(id, { baseURL: url, region: "us-east-1" }),
    models: [
      "amazon.nova-pro-v1:0",
      "us.anthropic.claude-opus-4-6-v1",
      "us.anthropic.claude-opus-5-5-v1:0",
      "us.anthropic.claude-3-7-sonnet-20250219-v1:0",
      "amazon.nova-2-lite-v1:0",
      "meta.llama3-3-70b-instruct-v1:0",
      "mistral.mistral-large-2407-v1:0",
      "deepseek.v3-v1:0",
    ],
  },
  Ollama: {
    connect: (url: string, id: string): ModelProvider => ollama(id, { baseURL: url }),
    models: ["qwen3:8b", "gpt-oss:20b"],
  },
} as const;

/** Name of a request format. */
export type FormatName = keyof typeof formats;

/** A field of a request and its value, or that the setting is reported as left out. `model`: one that takes the setting. */
type Cell = "left out" | { field: string; value: unknown; model?: string };
type Row = { setting: ModelSettings; needsTools?: true } & Readonly<Record<FormatName, Cell>>;

const field = (name: string, value: unknown, model?: string): Cell => ({
  field: name,
  value,
  ...(model !== undefined && { model }),
});
const gemini = (cell: Cell) => ({ "Gemini API": cell, "Vertex AI": cell });
const schema = {
  type: "object",
  properties: { dry: { type: "boolean" } },
  required: ["dry"],
  additionalProperties: false,
};

/** A model of Bedrock with more settings than the default. */
const claudeOnBedrock = "us.anthropic.claude-opus-4-6-v1";

/** Every setting of model calls, with its field in each request format. A new setting needs a row. */
export const settingRows: Readonly<Record<keyof ModelSettings, Row>> = {
  temperature: {
    setting: { temperature: 0.5 },
    "OpenAI Responses": field("temperature", 0.5, "gpt-4.1"),
    "Chat Completions": field("temperature", 0.5),
    Anthropic: field("temperature", 0.5, "claude-haiku-4-5"),
    ...gemini(field("generationConfig.temperature", 0.5)),
    "Bedrock Converse": field("inferenceConfig.temperature", 0.5),
    Ollama: field("options.temperature", 0.5),
  },
  topP: {
    setting: { topP: 0.9 },
    "OpenAI Responses": field("top_p", 0.9, "gpt-4.1"),
    "Chat Completions": field("top_p", 0.9),
    Anthropic: field("top_p", 0.9, "claude-haiku-4-5"),
    ...gemini(field("generationConfig.topP", 0.9)),
    "Bedrock Converse": field("inferenceConfig.topP", 0.9),
    Ollama: field("options.top_p", 0.9),
  },
  maxTokens: {
    setting: { maxTokens: 100 },
    "OpenAI Responses": field("max_output_tokens", 100),
    "Chat Completions": field("max_completion_tokens", 100),
    Anthropic: field("max_tokens", 100),
    ...gemini(field("generationConfig.maxOutputTokens", 100)),
    "Bedrock Converse": field("inferenceConfig.maxTokens", 100),
    Ollama: field("options.num_predict", 100),
  },
  stop: {
    setting: { stop: ["END"] },
    "OpenAI Responses": "left out",
    "Chat Completions": field("stop", ["END"]),
    Anthropic: field("stop_sequences", ["END"]),
    ...gemini(field("generationConfig.stopSequences", ["END"])),
    "Bedrock Converse": field("inferenceConfig.stopSequences", ["END"]),
    Ollama: field("options.stop", ["END"]),
  },
  seed: {
    setting: { seed: 7 },
    "OpenAI Responses": "left out",
    "Chat Completions": field("seed", 7),
    Anthropic: "left out",
    ...gemini(field("generationConfig.seed", 7)),
    "Bedrock Converse": "left out",
    Ollama: field("options.seed", 7),
  },
  toolChoice: {
    setting: { toolChoice: { tool: "look" } },
    needsTools: true,
    "OpenAI Responses": field("tool_choice", { type: "function", name: "look" }),
    "Chat Completions": field("tool_choice", { type: "function", function: { name: "look" } }),
    Anthropic: field("tool_choice", { type: "tool", name: "look" }, "claude-opus-4-8"),
    ...gemini(field("toolConfig.functionCallingConfig", { mode: "ANY", allowedFunctionNames: ["look"] })),
    "Bedrock Converse": field("toolConfig.toolChoice", { tool: { name: "look" } }),
    Ollama: "left out",
  },
  parallelToolCalls: {
    setting: { parallelToolCalls: false },
    needsTools: true,
    "OpenAI Responses": field("parallel_tool_calls", false),
    "Chat Completions": field("parallel_tool_calls", false),
    Anthropic: field("tool_choice.disable_parallel_tool_use", true),
    ...gemini("left out"),
    "Bedrock Converse": field(
      "additionalModelRequestFields.tool_choice.disable_parallel_tool_use",
      true,
      claudeOnBedrock,
    ),
    Ollama: "left out",
  },
  reasoning: {
    setting: { reasoning: { enabled: true, effort: "high" } },
    "OpenAI Responses": field("reasoning.effort", "high"),
    "Chat Completions": field("reasoning_effort", "high", "gpt-6.1-sol"),
    Anthropic: field("output_config.effort", "high"),
    ...gemini(field("generationConfig.thinkingConfig.thinkingLevel", "HIGH")),
    "Bedrock Converse": field("outputConfig.effort", "high", claudeOnBedrock),
    Ollama: field("think", "high", "gpt-oss:20b"),
  },
  responseFormat: {
    setting: { responseFormat: { type: "json_schema", schema } },
    "OpenAI Responses": field("text.format.schema", schema),
    "Chat Completions": field("response_format.json_schema.schema", schema),
    Anthropic: field("output_config.format.schema", schema),
    ...gemini(field("generationConfig.responseJsonSchema", schema)),
    "Bedrock Converse": field(
      "outputConfig.textFormat",
      { type: "json_schema", structure: { jsonSchema: { schema: JSON.stringify(schema) } } },
      claudeOnBedrock,
    ),
    Ollama: field("format", schema),
  },
  vendor: {
    setting: {
      vendor: {
        openai: { metadata: { team: "blue" } },
        anthropic: { metadata: { user_id: "u1" } },
        google: { safetySettings: [] },
        vertex: { labels: { team: "blue" } },
        bedrock: { requestMetadata: { team: "blue" } },
        ollama: { keep_alive: "5m" },
      },
    },
    "OpenAI Responses": field("metadata", { team: "blue" }),
    "Chat Completions": field("metadata", { team: "blue" }),
    Anthropic: field("metadata", { user_id: "u1" }),
    "Gemini API": field("safetySettings", []),
    "Vertex AI": field("labels", { team: "blue" }),
    "Bedrock Converse": field("requestMetadata", { team: "blue" }),
    Ollama: field("keep_alive", "5m"),
  },
};

/** Returns the table of the settings and their fields, for the README. Both ways to Gemini have the same fields. */
export function settingsTable(): string {
  const names = (Object.keys(formats) as FormatName[]).filter((format) => format !== "Vertex AI");
  const rows = Object.entries(settingRows).map(([name, row]) => [
    `\`${name}\``,
    ...names.map((format) => wordsOf(name, row[format])),
  ]);
  const titles = names.map((format) => (format === "Gemini API" ? "Gemini API, Vertex AI" : format));
  const lines = [["`modelOptions`", ...titles], ["-", ...names.map(() => "-")], ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function wordsOf(name: string, cell: Cell): string {
  if (name === "vendor") return "any";
  return cell === "left out" ? "–" : `\`${cell.field}\``;
}
