import type { ApiKeys } from "./keys/api-keys.ts";
import type { TokenUsage } from "../base/message/token-usage.ts";
import type { ReportModelCall } from "./model-attempt.ts";
import type { RequestOmission } from "./omission.ts";

/**
 * Settings of a model's extended thinking. `effort` is supported by openai and, as Troupe's extension, by the other
 * providers, as the nearest effort, level or switch of the model. `budgetTokens` is supported by anthropic, google and
 * vertex, and takes precedence over `effort`.
 */
export type ReasoningConfig = {
  /** `false` asks the model not to think. */
  enabled: boolean;
  /** `none` turns thinking off if the model allows it. */
  effort?: ReasoningEffort | undefined;
  /** The maximum number of tokens for thinking, if the vendor accepts a number. */
  budgetTokens?: number | undefined;
};

/** The effort of a model's thinking, from none at all to more than high. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** The format that a model's answer must have: plain text, any JSON, or JSON that fits a JSON schema. */
export type ResponseFormat =
  | "text"
  | "json"
  | { type: "json_schema"; schema: Record<string, unknown>; name?: string | undefined };

/**
 * The choice between answering and calling tools: left to the model (`auto`), no tool (`none`), any tool (`required`),
 * or the named tool.
 */
export type ToolChoice = "auto" | "none" | "required" | { tool: string };

/**
 * Options of a vendor for which there is no setting, by the id of the provider: `{ openai: { service_tier: "flex" } }`.
 * They are JSON and are merged last into the body of the vendor's requests, unchanged. Options for other providers are
 * not sent.
 */
export type VendorOptions = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** Settings of a model's answer: sampling, length, format and thinking. */
type AnswerSettings = {
  /** Randomness of the answer, in the range that the vendor accepts. */
  temperature?: number | undefined;
  /** The maximum number of tokens of an answer. */
  maxTokens?: number | undefined;
  /** The share of the likeliest tokens to choose from, an alternative to `temperature`. */
  topP?: number | undefined;
  /** Strings before which the answer ends. */
  stop?: readonly string[] | undefined;
  /** The form of the answer: text, any JSON, or JSON that fits a schema. */
  responseFormat?: ResponseFormat | undefined;
  /** Settings of the thinking before the answer. */
  reasoning?: ReasoningConfig | undefined;
  /** Seed that makes sampling repeatable, if the vendor supports it. */
  seed?: number | undefined;
  /** False limits the model to one tool call at a time. @default the vendor's default */
  parallelToolCalls?: boolean | undefined;
  /**
   * Request fields for which there is no setting, by the id of the provider: `{ openai: { service_tier: "flex" } }`.
   */
  vendor?: VendorOptions | undefined;
};

/**
 * Settings of the model calls of an agent, a team's orchestrator, or a run: `modelOptions`. A setting that a model does
 * not support is omitted from its requests, and logged.
 */
export type ModelSettings = AnswerSettings & {
  /**
   * The choice between answering and calling tools. `required` and a named tool apply only to the first model call of a
   * run, so that the model can answer with the tool's result. `auto` and `none` apply to all calls. @default "auto"
   */
  toolChoice?: ToolChoice | undefined;
};

/** Settings of one model call for its answer (sampling, length, format, thinking), and the API key for its vendor. */
export type ModelConfig = AnswerSettings & {
  /** The API key for this call, instead of the model's own key. */
  apiKey?: string;
};

/**
 * Options of one call of a `ModelProvider`: the settings of the answer, the tools, and the signal that cancels the
 * call.
 */
export type ModelOptions = ModelConfig & {
  /** The tools that the model may call. */
  tools?: readonly ToolSpec[];
  /** `none` sends the tools, but the model may not call them. @default "auto" */
  toolChoice?: ToolChoice | undefined;
  /** Signal that aborts the model call. */
  signal?: AbortSignal;
};

/**
 * Options of a model call made by a run: the user's options, the caller's keys for a model that calls other models, and
 * listeners. A provider reads the options that it supports.
 */
export type ModelCallOptions = ModelOptions & {
  /**
   * A string that is the same for all model calls of one session, for vendors whose prompt cache accepts a key. It
   * reveals nothing about the session or its user. Absent for a run whose caller did not name a session.
   */
  cacheKey?: string | undefined;
  /** Called for each setting, and each part of the messages, that is omitted because the model does not support it. */
  onOmitted?: ((omission: RequestOmission) => void) | undefined;
  /** The caller's API keys by vendor, for a model that calls other models: only the keys of its `providerIds`. */
  apiKeys?: ApiKeys | undefined;
  /** Called for each call that a model makes to another model, as in `fallbackModel`. */
  onModelCall?: ReportModelCall | undefined;
  /** Receives the billed usage of failed calls of a model that calls other models, if no answer can report it. */
  onLostUsage?: ((usage: TokenUsage) => void) | undefined;
};

/** A tool as described to a model: its name, its description, and the JSON schema of its arguments. */
export type ToolSpec = { name: string; description: string; parameters: Record<string, unknown> };
