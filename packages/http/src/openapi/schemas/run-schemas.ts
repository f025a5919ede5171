import type { Artifact, RunMetrics, TokenUsage, ToolCallResult } from "@troupe/core";
import type { PublicOutput } from "@troupe/core/adapter";
import { schemaRef } from "../refer.ts";
import type { Schema } from "../open-api-spec.ts";
import { closedObjectOf, objectOf } from "./object-of.ts";
import { anyObject, count, durationMs, listOf, moment, oneWord, text } from "./simple.ts";

type RunRequest = { input: unknown; sessionId?: string; userId?: string; apiKey?: string };

/** What a run may be told besides its input. */
export const runFields = {
  sessionId: {
    type: "string",
    pattern: "^[\\w.:@-]{1,128}$",
    description: "The session that is gone on with. Without one, a new session begins.",
  },
  userId: { type: "string", minLength: 1, description: "Who asks, where the service knows it from nowhere else." },
  apiKey: {
    type: "string",
    pattern: "^[!-~]{1,512}$",
    description: "A key for the vendor of what is called, when no header carries one.",
  },
};

const examples = {
  usage: { promptTokens: 12, completionTokens: 4, totalTokens: 16 },
  call: { toolCallId: "call_1", toolName: "weather", args: { city: "Oslo" }, result: "Rain.", durationMs: 41 },
};

/** A run of an agent or a team: what it is told, and its answer. */
export function runSchemas(): Record<string, Schema> {
  return {
    RunRequest: closedObjectOf<RunRequest>({
      required: { input: messageInput() },
      optional: runFields,
      example: { input: "What should I take along to Oslo?" },
    }),
    RunOutput: outputSchema({ nullable: true, description: "The structured answer of what has one, else null." }),
    ToolCallResult: objectOf<ToolCallResult>({
      required: { toolCallId: text, toolName: text, args: anyObject, result: text, durationMs },
      optional: { error: text, artifacts: listOf(schemaRef("Artifact")) },
      example: examples.call,
    }),
    Artifact: objectOf<Artifact>({
      required: { type: text, data: { description: "Anything.", nullable: true } },
      optional: { mimeType: text },
      example: { type: "chart", data: { points: [1, 2] } },
    }),
    TokenUsage: usageSchema(),
    RunMetrics: objectOf<RunMetrics>({
      required: { inputTokens: count, outputTokens: count, totalTokens: count },
      optional: { timeToFirstTokenMs: durationMs, durationMs },
      example: { inputTokens: 12, outputTokens: 4, totalTokens: 16, durationMs: 812 },
    }),
  };
}

/** The answer of a run whose structured part has this schema. */
export function outputSchema(structured: Schema): Schema {
  return objectOf<PublicOutput>({
    required: {
      text,
      toolCalls: listOf(schemaRef("ToolCallResult")),
      usage: schemaRef("TokenUsage"),
      structured,
    },
    optional: {
      thinking: text,
      durationMs,
      timeToFirstTokenMs: durationMs,
      runId: text,
      agentName: text,
      sessionId: text,
      model: text,
      modelProvider: text,
      status: oneWord("completed", "error"),
      createdAt: moment,
      metrics: schemaRef("RunMetrics"),
    },
    example: { text: "Take an umbrella.", toolCalls: [examples.call], usage: examples.usage, structured: null },
  });
}

/** What a form may hold, where files are taken. */
export function formSchema(): Schema {
  const files = { type: "array", items: { type: "string", format: "binary" } };
  return {
    type: "object",
    properties: { input: text, files, ...runFields },
    additionalProperties: false,
    description: "A text, files, or both.",
  };
}

/** Text, or parts. */
function messageInput(): Schema {
  const parts = { ...listOf(schemaRef("ContentPart")), minItems: 1, maxItems: 100 };
  return { oneOf: [{ type: "string", pattern: "\\S" }, parts], description: "What is said: a text, or parts." };
}

function usageSchema(): Schema {
  return objectOf<TokenUsage>({
    required: { promptTokens: count, completionTokens: count, totalTokens: count },
    optional: {
      reasoningTokens: count,
      cachedTokens: count,
      audioInputTokens: count,
      audioOutputTokens: count,
      providerMetrics: { ...anyObject, description: "What the vendor's last call said itself." },
    },
    example: examples.usage,
    description: "What model calls cost. Cached, reasoning and audio tokens are parts of the totals.",
  });
}
