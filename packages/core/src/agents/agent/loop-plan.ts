import type { Guardrail } from "../guardrail/guardrail.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { OngoingOperation } from "../../base/telemetry/telemetry.ts";
import type { ModelChunk } from "../../model/model-chunk.ts";
import type { ModelCallOptions, ToolChoice } from "../../model/model-config.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";
import type { RetryConfig } from "../../base/retry/retry-config.ts";
import type { Run } from "../run/run.ts";
import type { UsageMeter } from "../run/usage-meter.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import type { ToolSet } from "../tool/tool-set.ts";
import type { AgentHooks } from "./agent-config.ts";
import type { FillMessages } from "./fill-history.ts";
import type { PrepareStep } from "./prepare-step.ts";
import type { SystemPrompt } from "./system-prompt.ts";
import type { UniqueCallIds } from "./unique-call-ids.ts";

/**
 * The complete input of `toolLoop`: the run to which it records, the model, messages, tools and limits. It does not
 * contain an agent, because a team's orchestrator uses the same loop.
 */
export type LoopPlan<Structured = unknown> = {
  /** The run in which the loop records messages, tool calls and usage. */
  run: Run<Structured>;
  model: ModelProvider;
  /** Makes each model call, by `generate` or by `stream`. */
  call: ModelCaller;
  /**
   * The messages of the first model call: system prompt, history, and the input as the last message. They are not yet
   * trimmed to `maxContextTokens`.
   */
  messages: readonly ChatMessage[];
  prompt: SystemPrompt;
  /** Reads images, audio and files of the history that are stored outside the turns. Undefined if there are none. */
  fillMessages: FillMessages | undefined;
  /** The maximum estimated size of each model call, in tokens. The oldest messages are omitted to fit. */
  maxContextTokens: number | undefined;
  prepareStep: PrepareStep | undefined;
  /** Options of all model calls, except the API key, tools and signal. */
  options: ModelCallOptions;
  /**
   * The choice between answering and calling tools. A choice that forces a call applies to the first model call only.
   */
  toolChoice: ToolChoice | undefined;
  retry: RetryConfig;
  tools: ToolSet;
  /** The number of round trips after which the model must answer without tools. */
  maxToolRoundtrips: number;
  /** The number of tool calls of one model call that may run at the same time. */
  maxParallelTools: number;
  structured: CompiledSchema<Structured> | undefined;
  outputGuardrails: readonly Guardrail[];
  onToolCall: AgentHooks["onToolCall"];
  onApproval: AgentHooks["onApproval"];
};

/** A model call ready to be made: after `prepareStep`, with messages that fit the context. */
export type PreparedCall = {
  readonly model: ModelProvider;
  readonly messages: readonly ModelMessage[];
  readonly options: ModelCallOptions & { signal: AbortSignal };
  /** The tools of this model call. */
  readonly tools: ToolSet;
  readonly mayCallTools: boolean;
  /** The number of the model call in the run, from 0. */
  readonly index: number;
  /** Called with each chunk that the run's reader will see, before the reader receives it. */
  readonly onShown?: ((chunk: StreamChunk) => void) | undefined;
  /**
   * Counts the usage of this model call, for telemetry and for the run. Undefined if telemetry does not record the
   * call.
   */
  readonly meter?: UsageMeter | undefined;
  readonly operation?: OngoingOperation<"model"> | undefined;
};

/** One model call: the model's input, and the filter that turns model chunks into chunks of the run. */
export type ModelCall = PreparedCall & {
  ids: UniqueCallIds;
  /** Records a chunk, and returns the chunk for the reader of the run. */
  filter: (chunk: ModelChunk) => StreamChunk | undefined | Promise<StreamChunk | undefined>;
};

/**
 * A function that makes one model call for the tool loop: `callByGenerate` for a run without a stream, `callByStream`
 * for a run with a stream. Yields the chunks for the reader of the run, and returns the whole response.
 */
export type ModelCaller = (plan: LoopPlan, call: ModelCall) => AsyncGenerator<StreamChunk, ModelResponse>;
