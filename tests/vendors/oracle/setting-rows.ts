import type { MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/messages";
import type { GenerateContentParameters } from "@google/genai";
import type { ModelOptions, ModelSettings } from "@troupe/core";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import type { ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses";
import type { OracleRow, SdkParams } from "./oracle-row.ts";

const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const tools = [{ name: "look", description: "Looks.", parameters: schema }];
const described = { name: "look", description: "Looks." };
/** The tools of a call as each library takes them. */
const sdkTools = {
  responses: { tools: [{ type: "function", ...described, parameters: schema, strict: true }] },
  chat: { tools: [{ type: "function", function: { ...described, parameters: schema, strict: true } }] },
  anthropic: { tools: [{ ...described, input_schema: { ...schema, type: "object" } }] },
  google: { tools: [{ functionDeclarations: [{ ...described, parametersJsonSchema: schema }] }] },
  ollama: {
    tools: [
      {
        type: "function",
        function: { ...described, parameters: { type: "object", required: ["city"], properties: schema.properties } },
      },
    ],
  },
} satisfies { [Vendor in keyof SdkParams]: unknown };

type ToolParams = {
  responses: Partial<ResponseCreateParamsNonStreaming>;
  chat: Partial<ChatCompletionCreateParamsNonStreaming>;
  anthropic: Partial<MessageCreateParamsNonStreaming>;
  google: NonNullable<GenerateContentParameters["config"]>;
};

/** A call with a tool, and the fields by which each library says how it may be called. */
export function withTools(options: ModelOptions, more: Partial<ToolParams>): OracleRow {
  return {
    options: { tools, ...options },
    sdk: {
      responses: { ...(sdkTools.responses as ToolParams["responses"]), ...more.responses },
      chat: { ...(sdkTools.chat as ToolParams["chat"]), ...more.chat },
      anthropic: { ...(sdkTools.anthropic as ToolParams["anthropic"]), ...more.anthropic },
      google: { config: { ...sdkTools.google, ...more.google } },
      ollama: options.toolChoice === "none" ? {} : sdkTools.ollama,
    },
  };
}

/** Every setting of a model call but `vendor`: a missing one is an error of the types. */
export const settingRows = {
  temperature: {
    "0.5": {
      options: { temperature: 0.5 },
      sdk: {
        chat: { temperature: 0.5 },
        anthropic: { temperature: 0.5 },
        google: { config: { temperature: 0.5 } },
        ollama: { options: { temperature: 0.5 } },
      },
    },
    "0": {
      options: { temperature: 0 },
      sdk: {
        chat: { temperature: 0 },
        anthropic: { temperature: 0 },
        google: { config: { temperature: 0 } },
        ollama: { options: { temperature: 0 } },
      },
    },
  },
  topP: {
    "0.5": {
      options: { topP: 0.5 },
      sdk: {
        chat: { top_p: 0.5 },
        anthropic: { top_p: 0.5 },
        google: { config: { topP: 0.5 } },
        ollama: { options: { top_p: 0.5 } },
      },
    },
  },
  maxTokens: {
    "500": {
      options: { maxTokens: 500 },
      sdk: {
        responses: { max_output_tokens: 500 },
        chat: { max_completion_tokens: 500 },
        anthropic: { max_tokens: 500 },
        google: { config: { maxOutputTokens: 500 } },
        ollama: { options: { num_predict: 500 } },
      },
    },
  },
  stop: {
    "two sequences": {
      options: { stop: ["END", "FIN"] },
      sdk: {
        chat: { stop: ["END", "FIN"] },
        anthropic: { stop_sequences: ["END", "FIN"] },
        google: { config: { stopSequences: ["END", "FIN"] } },
        ollama: { options: { stop: ["END", "FIN"] } },
      },
    },
  },
  seed: {
    "7": {
      options: { seed: 7 },
      sdk: { chat: { seed: 7 }, google: { config: { seed: 7 } }, ollama: { options: { seed: 7 } } },
    },
  },
  parallelToolCalls: {
    off: withTools(
      { parallelToolCalls: false },
      {
        responses: { parallel_tool_calls: false },
        chat: { parallel_tool_calls: false },
        anthropic: { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
      },
    ),
  },
  toolChoice: {
    auto: withTools({ toolChoice: "auto" }, { responses: { tool_choice: "auto" }, chat: { tool_choice: "auto" } }),
    none: withTools(
      { toolChoice: "none" },
      {
        responses: { tool_choice: "none" },
        chat: { tool_choice: "none" },
        anthropic: { tool_choice: { type: "none" } },
        google: { toolConfig: { functionCallingConfig: { mode: "NONE" as never } } },
      },
    ),
    required: withTools(
      { toolChoice: "required" },
      {
        responses: { tool_choice: "required" },
        chat: { tool_choice: "required" },
        anthropic: { tool_choice: { type: "any" } },
        google: { toolConfig: { functionCallingConfig: { mode: "ANY" as never } } },
      },
    ),
    "by name": withTools(
      { toolChoice: { tool: "look" } },
      {
        responses: { tool_choice: { type: "function", name: "look" } },
        chat: { tool_choice: { type: "function", function: { name: "look" } } },
        anthropic: { tool_choice: { type: "tool", name: "look" } },
        google: { toolConfig: { functionCallingConfig: { mode: "ANY" as never, allowedFunctionNames: ["look"] } } },
      },
    ),
  },
  reasoning: {
    "an effort": {
      options: { reasoning: { enabled: true, effort: "low" } },
      sdk: {
        responses: { reasoning: { effort: "low", summary: "auto" } },
        anthropic: { max_tokens: 32_000, thinking: { type: "enabled", budget_tokens: 2048 } },
        google: { config: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 } } },
        ollama: { think: true },
      },
    },
    "a budget": {
      options: { reasoning: { enabled: true, budgetTokens: 2000 } },
      sdk: {
        responses: { reasoning: { summary: "auto" } },
        anthropic: { max_tokens: 32_000, thinking: { type: "enabled", budget_tokens: 2000 } },
        google: { config: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2000 } } },
        ollama: { think: true },
      },
    },
  },
  responseFormat: {
    text: { options: { responseFormat: "text" }, sdk: {} },
    "a schema": {
      options: { responseFormat: { type: "json_schema", schema } },
      sdk: {
        responses: { text: { format: { type: "json_schema", name: "answer", schema, strict: true } } },
        chat: { response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict: true } } },
        anthropic: { output_config: { format: { type: "json_schema", schema } } },
        google: { config: { responseMimeType: "application/json", responseJsonSchema: schema } },
        ollama: {
          messages: [
            {
              role: "system",
              content: `Answer with JSON alone: one value, with no words and no code fence around it. It must fit this JSON Schema:\n${JSON.stringify(schema)}`,
            },
            { role: "user", content: "Umbrella?" },
          ],
          format: schema,
        },
      },
    },
  },
} satisfies Record<Exclude<keyof ModelSettings, "vendor">, Record<string, OracleRow>>;
