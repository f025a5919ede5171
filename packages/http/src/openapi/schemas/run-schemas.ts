import type { Artifact, ChatMessage, RunMetrics, Source, TokenUsage, ToolArtifact, ToolCallResult } from "@troupe/core";
import type { RunWebhook } from "@troupe/core/runs";
import type { PublicOutput } from "@troupe/core/transport";
import { schemaRef } from "../open-api-spec.ts";
import type { OpenApiSchema } from "../open-api-spec.ts";
import type { UploadRules } from "../../uploads/upload-options.ts";
import { contentSchemas } from "./content-schemas.ts";
import {
  anyObjectSchema,
  anythingSchema,
  closedObjectSchema,
  countSchema,
  durationSchema,
  arraySchema,
  timestampSchema,
  objectSchema,
  enumSchema,
  stringSchema,
  finishReasons,
  storedSchema,
  numberSchema,
} from "./schema-builders.ts";

type RunRequestBody = {
  input: unknown;
  sessionId?: string | null;
  userId?: string | null;
  apiKey?: string | null;
  messages?: GivenMessage[] | null;
  webhook?: RunWebhook | null;
};
type GivenMessage = Omit<ChatMessage, "role"> & { role: "user" | "assistant" | "tool" };

/**
 * The pattern of session ids, which excludes `.` and `..`. It has no lookahead, which some client generators do not
 * support.
 */
export const sessionIdPattern = "^([\\w:@-][\\w.:@-]{0,127}|\\.[\\w:@-][\\w.:@-]{0,126}|\\.\\.[\\w.:@-]{1,126})$";

/** Schemas of the body fields of a run beside `input`: `sessionId`, `userId` and `apiKey`. */
const runFields = {
  sessionId: {
    type: "string",
    pattern: sessionIdPattern,
    description: "The session to continue. Without one, a new session begins.",
  },
  userId: {
    type: "string",
    minLength: 1,
    description:
      "The user. For a client who is signed in, that user or nothing. Otherwise the user is unverified, unless the " +
      "service trusts its clients: sessions, memory and facts are apart from those of the user who signs in by that name.",
  },
  apiKey: {
    type: "string",
    pattern: "^[!-~]{1,16384}$",
    description: "A key for the vendor of the agent, if no header carries one.",
  },
};

/** The schemas of `runFields` in a JSON body, in which null counts as absent. */
export const nullableRunFields = {
  sessionId: { ...runFields.sessionId, nullable: true },
  userId: { ...runFields.userId, nullable: true },
  apiKey: { ...runFields.apiKey, nullable: true },
};

/** The schema of the body field `webhook`, which only some services accept. */
export const webhookFieldSchema: OpenApiSchema = {
  ...closedObjectSchema<RunWebhook>({
    required: {
      url: { type: "string", pattern: "^https?:", maxLength: 2048 },
      secret: { type: "string", pattern: "^whsec_[A-Za-z0-9+/]{32,88}={0,2}$" },
    },
    optional: {},
    example: { url: "https://example.com/hooks", secret: `whsec_${"MDEyMzQ1Njc4OWFi".repeat(2)}` },
  }),
  nullable: true,
  description: "Is notified of the end and the waits of this run, in the form of Standard Webhooks.",
};

/**
 * The OpenAPI schema of a string that is not blank. Its pattern is anchored, because some clients only match from the
 * start.
 */
export const saidSchema: OpenApiSchema = { type: "string", pattern: "^\\s*\\S" };

/** The OpenAPI schema of a string that is empty or blank. */
const blankSchema: OpenApiSchema = { type: "string", pattern: "^\\s*$" };

/** The example question for an agent or team without a question of its own: every agent can answer it. */
export const anyQuestion = "What can you help me with?";

/** The example body for a run of an agent or a team. It can be sent unchanged. */
const runExample = { input: anyQuestion };

const examples = {
  usage: { promptTokens: 12, completionTokens: 4, totalTokens: 16 },
  call: { toolCallId: "call_1", toolName: "weather", args: { city: "Oslo" }, result: "Rain.", durationMs: 41 },
};

const outputExample = {
  text: "Take an umbrella.",
  toolCalls: [examples.call],
  usage: examples.usage,
  structured: null,
};

function requestSchema(takesWebhook: boolean): OpenApiSchema {
  const request = {
    required: { input: messageInput() },
    optional: { ...nullableRunFields, messages: givenMessages() },
    example: runExample,
  };
  if (!takesWebhook) return closedObjectSchema<Omit<RunRequestBody, "webhook">>(request);
  const optional = { ...request.optional, webhook: webhookFieldSchema };
  return closedObjectSchema<RunRequestBody>({ ...request, optional });
}

/**
 * Returns the OpenAPI schemas of a run of an agent or a team, by component name: its request, content parts, and
 * output. `takesWebhook` is true if a request may name a webhook.
 */
export function runSchemas(takesWebhook: boolean): Record<string, OpenApiSchema> {
  return {
    RunRequest: requestSchema(takesWebhook),
    GivenMessage: givenMessage(),
    RunOutput: outputSchemaWith({
      description: "The structured output of an agent that has one, else null.",
    }),
    ToolCallResult: objectSchema<ToolCallResult>({
      required: {
        toolCallId: stringSchema,
        toolName: stringSchema,
        args: anyObjectSchema,
        result: toolResultSchema(),
        durationMs: durationSchema,
      },
      optional: { error: stringSchema, artifacts: arraySchema(schemaRef("Artifact")) },
      example: examples.call,
    }),
    Artifact: objectSchema<Artifact>({
      required: { type: stringSchema, data: anythingSchema },
      optional: { mimeType: stringSchema },
      example: { type: "chart", data: { points: [1, 2] } },
    }),
    ToolArtifact: objectSchema<ToolArtifact>({
      required: {
        type: stringSchema,
        data: anythingSchema,
        toolCallId: stringSchema,
        toolName: stringSchema,
      },
      optional: { mimeType: stringSchema },
      example: { type: "chart", data: { points: [1, 2] }, toolCallId: "call_1", toolName: "weather" },
    }),
    Source: sourceSchema(),
    TokenUsage: usageSchema(),
    RunMetrics: objectSchema<RunMetrics>({
      required: { inputTokens: countSchema, outputTokens: countSchema, totalTokens: countSchema },
      optional: { timeToFirstTokenMs: durationSchema, durationMs: durationSchema },
      example: { inputTokens: 12, outputTokens: 4, totalTokens: 16, durationMs: 812 },
    }),
    ...contentSchemas(),
  };
}

/**
 * Returns the OpenAPI schema of the output of an agent's or team's run. `structured` is the schema of its field
 * `structured`.
 */
export function structuredOutputSchema(structured: OpenApiSchema): OpenApiSchema {
  // The example of a run's output is omitted, because it has no structured output.
  const { example: _, ...schema } = outputSchemaWith(structured);
  return schema;
}

function outputSchemaWith(structured: OpenApiSchema): OpenApiSchema {
  return objectSchema<PublicOutput>({
    required: {
      text: stringSchema,
      toolCalls: arraySchema(schemaRef("ToolCallResult")),
      usage: schemaRef("TokenUsage"),
      structured,
    },
    optional: {
      thinking: stringSchema,
      durationMs: durationSchema,
      timeToFirstTokenMs: durationSchema,
      runId: stringSchema,
      agentName: stringSchema,
      sessionId: stringSchema,
      model: stringSchema,
      modelProvider: stringSchema,
      status: enumSchema("completed", "error"),
      createdAt: timestampSchema,
      metrics: schemaRef("RunMetrics"),
      artifacts: arraySchema(schemaRef("ToolArtifact")),
      sources: arraySchema(schemaRef("Source")),
      finishReason: enumSchema(...finishReasons.filter((reason) => reason !== "stop")),
      stored: storedSchema,
    },
    example: outputExample,
  });
}

/**
 * Returns the OpenAPI schema of a run's body as a form with files (`multipart/form-data`), the alternative to JSON if
 * uploads are enabled.
 */
export function formSchema({ maxFiles }: Pick<UploadRules, "maxFiles">, question: string): OpenApiSchema {
  const file = { type: "string", format: "binary", minLength: 1 };
  const files = { type: "array", items: file, minItems: 1, maxItems: maxFiles };
  return {
    type: "object",
    properties: { input: { ...stringSchema, example: question }, files, ...runFields },
    // The `anyOf` is inside an `allOf`, because client generators would otherwise split the form. A `not` does not work
    // either, because schemathesis cannot check bytes against it.
    allOf: [{ anyOf: [{ required: ["input"], properties: { input: saidSchema } }, { required: ["files"] }] }],
    additionalProperties: false,
    description: "A text, files, or both.",
  };
}

function givenMessage(): OpenApiSchema {
  return objectSchema<GivenMessage>({
    required: {
      role: enumSchema("user", "assistant", "tool"),
      content: { oneOf: [{ type: "string", nullable: true }, arraySchema(schemaRef("ContentPart"))] },
    },
    optional: {
      toolCalls: arraySchema(schemaRef("ToolCall")),
      toolCallId: stringSchema,
      name: stringSchema,
    },
    example: { role: "assistant", content: "Take an umbrella." },
  });
}

function givenMessages(): OpenApiSchema {
  return {
    ...arraySchema(schemaRef("GivenMessage")),
    maxItems: 1000,
    nullable: true,
    description: "The conversation that came before, for a session without turns; with turns it is refused (409).",
  };
}

function messageInput(): OpenApiSchema {
  const blank = { ...anyObjectSchema, required: ["text"], properties: { text: blankSchema } };
  const parts = { ...arraySchema(schemaRef("ContentPart")), minItems: 1, maxItems: 100, not: arraySchema(blank) };
  return { oneOf: [saidSchema, parts], description: "A string, or an array of content parts." };
}

/** Returns the OpenAPI schema of the content that a model received as a tool result. */
export function toolResultSchema(): OpenApiSchema {
  const description = "The content that the model got: a string (JSON as text), or an array of content parts.";
  return { oneOf: [stringSchema, arraySchema(schemaRef("ContentPart"))], description };
}

/** The OpenAPI schemas of the fields of a source, except for its id. */
export const sourceFields: Record<Exclude<keyof Source, "id">, OpenApiSchema> = {
  url: stringSchema,
  title: stringSchema,
  place: { ...stringSchema, description: "The place of the passage in its document, such as a page." },
  passage: { ...stringSchema, description: "The beginning of the passage's text." },
  score: { ...numberSchema, description: "The similarity of the passage to the query, from -1 to 1." },
  toolCallId: stringSchema,
};

function sourceSchema(): OpenApiSchema {
  return objectSchema<Source>({
    required: { id: stringSchema },
    optional: sourceFields,
    example: { id: "source_1", url: "https://example.com/oslo", title: "The weather in Oslo" },
    description:
      "A page, a document or a passage that the answer is based on. A mark such as [2] in the text stands for the second source.",
  });
}

function usageSchema(): OpenApiSchema {
  return objectSchema<TokenUsage>({
    required: { promptTokens: countSchema, completionTokens: countSchema, totalTokens: countSchema },
    optional: {
      reasoningTokens: countSchema,
      cachedTokens: countSchema,
      cacheWriteTokens: countSchema,
      audioInputTokens: countSchema,
      audioOutputTokens: countSchema,
      providerMetrics: { ...anyObjectSchema, description: "The usage object of the vendor's last call." },
    },
    example: examples.usage,
    description:
      "The tokens of all model calls. Cached, reasoning and audio tokens are parts of the totals; cachedTokens were read " +
      "from the vendor's prompt cache, cacheWriteTokens written to it.",
  });
}
