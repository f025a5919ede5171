import type { TokenUsage } from "@troupe/core";
import type { ResponseRequest } from "../request/response-request.ts";
import { toResponseUsage } from "../wire/usage.ts";

/** An item of a response's output. */
export type OutputItem = { readonly id: string; readonly type: string; readonly [field: string]: unknown };

/** The statuses of a response. */
type ResponseStatus = "queued" | "in_progress" | "completed" | "failed" | "cancelled" | "incomplete";

/** The fields of a request that its response repeats. They are JSON, because they are stored with the run. */
export type RequestEcho = {
  readonly instructions: string | null;
  readonly tools: readonly object[];
  readonly tool_choice: unknown;
  readonly temperature: number;
  readonly top_p: number;
  readonly presence_penalty: number;
  readonly frequency_penalty: number;
  readonly max_output_tokens: number | null;
  readonly text: object;
  readonly metadata: object;
  readonly parallel_tool_calls: boolean;
  readonly store: boolean;
  readonly background: boolean;
  readonly previous_response_id: string | null;
  readonly conversation: { readonly id: string } | null;
  readonly user: string | null;
};

/** A response in the shape of OpenAI's API and of Open Responses. */
export type ResponseObject = RequestEcho & {
  readonly id: string;
  readonly object: "response";
  readonly created_at: number;
  completed_at: number | null;
  status: ResponseStatus;
  incomplete_details: { readonly reason: string } | null;
  readonly model: string;
  output: OutputItem[];
  error: { readonly code: string; readonly message: string } | null;
  usage: object | null;
  readonly [field: string]: unknown;
};

/** Defaults of the fields that a response repeats from its request, for a response whose request is unknown. */
export const noEcho: RequestEcho = {
  instructions: null,
  tools: [],
  tool_choice: "auto",
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  max_output_tokens: null,
  text: { format: { type: "text" } },
  metadata: {},
  parallel_tool_calls: true,
  store: true,
  background: false,
  previous_response_id: null,
  conversation: null,
  user: null,
};

const mostMetadata = 64;

/** Returns the fields of a request that its response repeats. */
export function echoOf(request: ResponseRequest): RequestEcho {
  const { body, tools, instructions, store, background, previousId, sessionId, maxTokens, user } = request;
  const numberOf = (name: string, byDefault: number) => (typeof body[name] === "number" ? body[name] : byDefault);
  return {
    instructions: instructions ?? null,
    tools: tools.clientTools.map(({ name, description = null, parameters = null }) => {
      return { type: "function", name, description, parameters, strict: false };
    }),
    tool_choice: body["tool_choice"] ?? "auto",
    temperature: numberOf("temperature", noEcho.temperature),
    top_p: numberOf("top_p", noEcho.top_p),
    presence_penalty: numberOf("presence_penalty", noEcho.presence_penalty),
    frequency_penalty: numberOf("frequency_penalty", noEcho.frequency_penalty),
    max_output_tokens: maxTokens ?? null,
    text: { format: formatOf(body["text"]) },
    metadata: metadataOf(body["metadata"]),
    parallel_tool_calls: body["parallel_tool_calls"] !== false,
    store,
    background,
    previous_response_id: previousId ?? null,
    conversation: sessionId === undefined ? null : { id: sessionId },
    user: user ?? null,
  };
}

function formatOf(text: unknown): object {
  const { format } = (text ?? {}) as { readonly format?: object | null };
  return format ?? { type: "text" };
}

function metadataOf(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  const entries = Object.entries(value).filter(([, text]) => typeof text === "string");
  return Object.fromEntries(entries.filter((_, index) => index < mostMetadata));
}

/** Makes a response that is in progress and has no output yet. */
export function newResponse(
  { id, model, createdAt }: { readonly id: string; readonly model: string; readonly createdAt: number },
  echo: RequestEcho,
): ResponseObject {
  return {
    id,
    object: "response",
    created_at: Math.floor(createdAt / 1000),
    completed_at: null,
    status: "in_progress",
    incomplete_details: null,
    model,
    output: [],
    error: null,
    usage: null,
    ...echo,
    max_tool_calls: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    prompt_cache_key: null,
    service_tier: "default",
    top_logprobs: 0,
    truncation: "disabled",
  };
}

/** Returns the usage of a response; null if it is unknown. */
export function usageOf(usage: TokenUsage | undefined): object | null {
  return usage === undefined ? null : toResponseUsage(usage);
}
