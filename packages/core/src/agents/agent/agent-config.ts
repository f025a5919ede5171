import type { EventBus } from "../../base/events/event-bus.ts";
import type { GuardrailConfig } from "../guardrail/guardrail.ts";
import type { BusyPolicy } from "../../sessions/lock/busy-policy.ts";
import type { StorageFailurePolicy } from "../run/run-options.ts";
import type { LogChoice } from "../../base/log/runnable-logger.ts";
import type { AgentMemory } from "../memory/agent-memory.ts";
import type { AgentUserMemory } from "../memory/agent-user-memory.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { ToolCall } from "../../base/message/tool-call.ts";
import type { ModelSettings, ReasoningConfig } from "../../model/model-config.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { RetryConfig } from "../../base/retry/retry-config.ts";
import type { MakeTools, ToolList } from "./agent-tools.ts";
import type { PrepareStep } from "./prepare-step.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunLimits } from "../run/run-options.ts";
import type { RunError, CompleteRunOutput } from "../run/run-output.ts";
import type { ObjectSchema } from "../../schema/object-schema.ts";
import type { ApprovalVerdict } from "../tool/approve-call.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";

type HookMethods = {
  /** Called before the model. What it returns replaces the input; what it throws ends the run. */
  beforeRun?(
    context: RunContext,
    input: MessageContent,
  ): void | MessageContent | Promise<void> | Promise<void | MessageContent>;
  /** Called when the turn has been stored, before the run is announced as completed. What it throws is logged. */
  afterRun?(context: RunContext, output: CompleteRunOutput): void | Promise<void>;
  /** Called before a tool, with checked arguments. A call that it denies, or at which it throws, is not executed. */
  onToolCall?(
    context: RunContext,
    call: ToolCall,
  ): void | { deny: string } | Promise<void> | Promise<void | { deny: string }>;
  /**
   * Called for a call that needs an approval, after `onToolCall`. It may take its time: no timeout of a tool runs, and no
   * other call waits for it. A call at which it throws is denied.
   */
  onApproval?(context: RunContext, call: ToolCall): ApprovalVerdict | Promise<ApprovalVerdict>;
  /** Called when the run has failed or was cancelled. What it throws is logged. */
  onError?(context: RunContext, error: RunError): void | Promise<void>;
};

/** Option `titles` of agents and teams: the model that makes the titles of their sessions. */
export type TitleConfig = { model: ModelProvider };

/** Callbacks of the application in an agent's run: before and after it, before each tool call and for its approval, and at a
 * failure. */
export type AgentHooks = { [Name in keyof HookMethods]: HookMethods[Name] | undefined };

/**
 * Constructor options of an `Agent`: its model, instructions and tools, its memory and storage, guardrails and limits.
 */
export type AgentConfig<Schema extends ObjectSchema | undefined = ObjectSchema | undefined> = LogChoice & {
  /** The name of the agent for clients, teams and events. */
  name: string;
  /** The purpose in one sentence, for cards, listings and teams that choose a member. */
  description?: string | undefined;
  /** The model that answers, such as `openai("gpt-6.1-sol")`. */
  model: ModelProvider;
  /** The system prompt, or a function that makes it for a run. */
  instructions?: string | ((context: RunContext) => string | Promise<string>) | undefined;
  /**
   * The tools that the model may call. The tools of a source are loaded when a run begins. A function of the run context
   * returns the tools of one run; your program closes sources that it returns.
   */
  tools?: ToolList | MakeTools | undefined;
  /** The source of the history, in place of the session's turns: a `Memory`, or an object with its five methods. */
  memory?: AgentMemory | undefined;
  /**
   * Stores the sessions. @default in memory: 10,000 sessions, for 24 hours without use, in a quarter of the heap and at
   * most 256 MB
   */
  storage?: StorageDriver | undefined;
  /** The session of runs without one in their options. @default a new session for each run */
  sessionId?: string | undefined;
  /** The user of runs without one in their options. */
  userId?: string | undefined;
  /** Gives the model the history of the session. @default true */
  addHistoryToMessages?: boolean | undefined;
  /**
   * The number of past turns in the history. @default 43 to 50: older turns are left out eight at a time, so that prompt caches
   * of vendors apply to the rest
   */
  numHistoryRuns?: number | undefined;
  /** The number of round trips after which the model must answer without tools. @default 10 */
  maxToolRoundtrips?: number | undefined;
  /**
   * The number of tool calls of one model call that run at the same time. The others wait in order; the timeout of a tool
   * begins with its execution. @default 32
   */
  maxParallelTools?: number | undefined;
  /**
   * Called before each model call of a run, also for the repair of a structured answer: may choose the model, the
   * instructions and the tools of the call, or end the run.
   */
  prepareStep?: PrepareStep | undefined;
  /** Settings of the model calls, which a run's own `modelOptions` override one by one. */
  modelOptions?: ModelSettings | undefined;
  /** The same as `modelOptions.temperature`, which overrides it. */
  temperature?: number | undefined;
  /** The schema of the answer: `output.structured` holds the checked value. */
  structuredOutput?: Schema | undefined;
  /** Functions of the application that are called in each run: before and after it, at tool calls, and at a failure. */
  hooks?: AgentHooks | undefined;
  /** Checks of the input and of the answer, which may refuse or replace them. */
  guardrails?: GuardrailConfig | undefined;
  /** The bus that receives the events of each run. @default a bus of its own */
  eventBus?: EventBus<RunEvents> | undefined;
  /** The same as `modelOptions.reasoning`, which overrides it. */
  reasoning?: ReasoningConfig | undefined;
  /** Facts about the user: given to the model, and extracted after each answer. */
  userMemory?: AgentUserMemory | undefined;
  /** Repeats model calls that fail before their first chunk. @default 3 retries */
  retry?: Partial<RetryConfig> | undefined;
  /**
   * The estimated size of each model call, in tokens. To fit, the oldest turns of the history are left out, then the oldest
   * tool calls of the run with their results, in blocks of up to a quarter. The system prompt, the tools, the input and the
   * newest results stay. A call that is still too large is made, with a warning.
   */
  maxContextTokens?: number | undefined;
  /** The model that makes the titles of sessions, after the first turn. @default the beginning of the first message */
  titles?: TitleConfig | undefined;
  /** Bounds of each run. @default 10 minutes, and no limit on tokens */
  limits?: RunLimits | undefined;
  /**
   * Lets a run wait, or refuses it, while its session is busy with another run. A policy has `onBusy`, `maxWaiting` (10 runs)
   * and `waitMs` (60000); beyond them a run is refused as `conflict`. @default "enqueue"
   */
  onBusy?: BusyPolicy["onBusy"] | Partial<BusyPolicy> | undefined;
  /** Refuses a run while a durable run of its session waits for an answer, or cancels that one. @default "reject" */
  onWaiting?: "reject" | "cancel" | undefined;
  /**
   * The end of a run whose turn cannot be stored. `error`: the run fails with the storage's error. `answer`: the answer is
   * delivered with `stored: false` and a warning. @default "error"
   */
  onStorageFailure?: StorageFailurePolicy | undefined;
};
