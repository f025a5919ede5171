import type { ApiKeys } from "./keys/api-keys.ts";
import type { TokenUsage } from "../base/message/token-usage.ts";
import type { ReportModelCall } from "./model-attempt.ts";
import type { Omission } from "./omission.ts";

/**
 * Settings of a model's extended thinking. `effort` is read by openai and, as an extension of ours, by the other providers:
 * as the nearest effort, level or switch that the model has. `budgetTokens` is read by anthropic, google and vertex, before
 * `effort`.
 */
export type ReasoningConfig = {
  /** `false` asks the model not to think. */
  enabled: boolean;
  /** `none` turns thinking off where the model can do without. */
  effort?: ReasoningEffort | undefined;
  /** The most tokens for thinking, where the vendor takes a number. */
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
 * The choice between answering and calling tools: left to the model (`auto`), no tool (`none`), some tool (`required`), or
 * the named one.
 */
export type ToolChoice = "auto" | "none" | "required" | { tool: string };

/**
 * Options of a vendor that no setting here has, by the id of the provider: `{ openai: { service_tier: "flex" } }`. They are
 * JSON, and are merged last into the body of the vendor's requests, as they are. Those for other providers are not sent.
 */
export type VendorOptions = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** Settings of a model's answer: sampling, length, format and thinking. */
type AnswerSettings = {
  /** Randomness of the answer, in the range that the vendor takes. */
  temperature?: number | undefined;
  /** The most tokens of an answer. */
  maxTokens?: number | undefined;
  /** The share of the likeliest tokens to choose from, in place of `temperature`. */
  topP?: number | undefined;
  /** Strings that end the answer before the model writes them. */
  stop?: readonly string[] | undefined;
  /** The form of the answer: text, any JSON, or JSON that fits a schema. */
  responseFormat?: ResponseFormat | undefined;
  /** Thinking before the answer. */
  reasoning?: ReasoningConfig | undefined;
  /** Makes sampling repeatable, as far as the vendor can. */
  seed?: number | undefined;
  /** False lets the model ask for one tool call at a time. @default the vendor's */
  parallelToolCalls?: boolean | undefined;
  /** Fields of the request that no setting here has, by the id of the provider: `{ openai: { service_tier: "flex" } }`. */
  vendor?: VendorOptions | undefined;
};

/**
 * Settings of the model calls of an agent, a team's orchestrator, or a run: `modelOptions`. A setting that a model does
 * not take is left out of its requests, and logged.
 */
export type ModelSettings = AnswerSettings & {
  /**
   * `required` and a named tool hold for the first model call of a run: with the tool's result the model may answer.
   * `auto` and `none` hold for all. @default "auto"
   */
  toolChoice?: ToolChoice | undefined;
};

/** Settings of one model call for its answer (sampling, length, format, thinking), and the API key for its vendor. */
export type ModelConfig = AnswerSettings & {
  /** The key for this call, in place of the model's own. */
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
  /** Aborts the call. */
  signal?: AbortSignal;
  /**
   * The same string for all model calls of one session, for vendors whose prompt cache takes one. It tells nothing of the
   * session or its user. Absent for a run in a session that its caller did not name.
   */
  cacheKey?: string | undefined;
  /** Called for each setting, and each part of the messages, that is left out because the model does not take it. */
  onOmitted?: ((omission: Omission) => void) | undefined;
  /** The caller's keys by vendor, for a model that calls others: those of its `providerIds` alone. */
  apiKeys?: ApiKeys | undefined;
  /** Reports the calls of a model that calls others. */
  onModelCall?: ReportModelCall | undefined;
  /** Receives what failed calls of a model that calls others were billed, when no answer can tell it. */
  onLostUsage?: ((usage: TokenUsage) => void) | undefined;
};

/** A tool as it is described to a model: its name, its description, and the JSON schema of its arguments. */
export type ToolSpec = { name: string; description: string; parameters: Record<string, unknown> };
