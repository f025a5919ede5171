import type { Guardrail } from "../guardrail/guardrail.ts";
import type { OpenStep } from "../journal/attempt.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ModelChunk } from "../../model/model-chunk.ts";
import type { ModelOptions, ToolChoice } from "../../model/model-config.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";
import type { RetryConfig } from "../../base/retry/retry-config.ts";
import type { Run } from "../run/run.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import type { ToolSet } from "../tool/tool-set.ts";
import type { AgentHooks } from "./agent-config.ts";
import type { FillMessages } from "./fill-history.ts";
import type { PrepareStep } from "./prepare-step.ts";
import type { SystemPrompt } from "./system-prompt.ts";
import type { UniqueCallIds } from "./unique-call-ids.ts";

/**
 * All that `toolLoop` needs: the run that it records to, the model, messages, tools and limits. It holds no agent,
 * because the orchestrator of a team runs in the same loop.
 */
export type LoopPlan<Structured = unknown> = {
  /** The run, where the loop records what happens. */
  run: Run<Structured>;
  model: ModelProvider;
  /** Makes each model call, by `generate` or by `stream`. */
  call: ModelCaller;
  /** The messages of the first model call, as far as they fit: system prompt, history, and the input, which is the last. */
  messages: readonly ChatMessage[];
  prompt: SystemPrompt;
  /** Reads data of the history that is stored beside its turns, for the messages that are sent. Usually none is. */
  fillMessages: FillMessages | undefined;
  /** The estimated size of each model call: the oldest messages are left out to fit. */
  maxContextTokens: number | undefined;
  prepareStep: PrepareStep | undefined;
  /** Options of all model calls, without API key, tools and signal. */
  options: ModelOptions;
  /** The choice between answering and calling tools; one that forces a call holds for the first model call alone. */
  toolChoice: ToolChoice | undefined;
  retry: RetryConfig;
  tools: ToolSet;
  /** The number of round trips after which the model has to answer without tools. */
  maxToolRoundtrips: number;
  /** The number of tool calls of one model call that may run at the same time. */
  maxParallelTools: number;
  structured: CompiledSchema<Structured> | undefined;
  outputGuardrails: readonly Guardrail[];
  onToolCall: AgentHooks["onToolCall"];
  onApproval: AgentHooks["onApproval"];
};

/** One model call as it is made: after `prepareStep`, with messages that fit the context. */
export type PreparedCall = {
  readonly model: ModelProvider;
  readonly messages: readonly ModelMessage[];
  readonly options: ModelOptions & { signal: AbortSignal };
  /** The tools of this call. */
  readonly tools: ToolSet;
  readonly mayCallTools: boolean;
  /** The number of the call in the run, from 0. */
  readonly index: number;
  /** The step of the journal that the call is, in a durable run. */
  readonly step?: OpenStep | undefined;
};

/** One model call: what the model is sent, and how its chunks become chunks of the run. */
export type ModelCall = PreparedCall & {
  ids: UniqueCallIds;
  /** Records a chunk, and returns what the reader of the run is shown of it. */
  filter: (chunk: ModelChunk) => StreamChunk | undefined | Promise<StreamChunk | undefined>;
};

/**
 * A function that makes one model call for the tool loop: `callByGenerate` for a run without a stream, `callByStream` for
 * one with a stream. Yields the chunks for the reader of the run, and returns the whole response.
 */
export type ModelCaller = (plan: LoopPlan, call: ModelCall) => AsyncGenerator<StreamChunk, ModelResponse>;
