import type { EventBus } from "../events/event-bus.ts";
import type { Guardrail } from "../guardrail/guardrail.ts";
import type { ChatMessage } from "../message/message.ts";
import type { ModelOptions } from "../model/model-config.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import type { RetryConfig } from "../retry/retry-config.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunRecord } from "../run/run-record.ts";
import type { UsageMeter } from "../run/usage-meter.ts";
import type { CompiledSchema } from "../schema/compile-schema.ts";
import type { CallIds } from "../session/call-ids.ts";
import type { UnfinishedStep } from "../session/interrupted-turn.ts";
import type { ToolSet } from "../tool/tool-set.ts";
import type { AgentHooks } from "./agent-hooks.ts";
import type { ModelTurn } from "./model-turn.ts";

/** All that the loop knows: data, and no agent. */
export type LoopPlan<Structured = unknown> = {
  model: ModelProvider;
  turn: ModelTurn;
  /** What the model is sent first. */
  messages: readonly ChatMessage[];
  /** The ids of the calls in them, and of those that follow. */
  callIds: CallIds;
  options: ModelOptions;
  retry: Partial<RetryConfig>;
  tools: ToolSet;
  maxToolRoundtrips: number;
  structured: CompiledSchema<Structured> | undefined;
  outputGuardrails: readonly Guardrail[];
  onToolCall: AgentHooks["onToolCall"];
  eventBus: EventBus<RunEvents>;
  context: RunContext;
  meter: UsageMeter;
  record: RunRecord<Structured>;
  /** Where the loop stands within a step: what becomes of a run that ends there is for others to say. */
  progress: { step?: UnfinishedStep & { results: UnfinishedStep["results"][number][] } };
};
