import type { EventBus } from "../../base/events/event-bus.ts";
import type { GuardrailConfig } from "../guardrail/guardrail.ts";
import type { BusyPolicy } from "../../sessions/lock/busy-policy.ts";
import type { StorageFailurePolicy } from "../run/run-options.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
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
  /**
   * Called before a run's first model call. A returned value replaces the input; an error that it throws ends the run.
   */
  beforeRun?(
    context: RunContext,
    input: MessageContent,
  ): void | MessageContent | Promise<void> | Promise<void | MessageContent>;
  /**
   * Called before a run is announced as completed: after its turn is stored, or could not be stored with
   * `onStorageFailure: "answer"`. An error that it throws is logged.
   */
  afterRun?(context: RunContext, output: CompleteRunOutput): void | Promise<void>;
  /**
   * Called before a tool is executed, with arguments that fit the tool's schema. If it denies the call or throws, the
   * tool is not executed.
   */
  onToolCall?(
    context: RunContext,
    call: ToolCall,
  ): void | { deny: string } | Promise<void> | Promise<void | { deny: string }>;
  /**
   * Called after `onToolCall` for a tool call that needs an approval. It may take any time: tool timeouts are stopped,
   * and other calls do not wait. If it throws, the call is denied.
   */
  onApproval?(context: RunContext, call: ToolCall): ApprovalVerdict | Promise<ApprovalVerdict>;
  /** Called when the run has failed or was cancelled. An error that it throws is logged. */
  onError?(context: RunContext, error: RunError): void | Promise<void>;
};

/** Option `titles` of agents and teams: the model that makes the titles of their sessions. */
export type TitleConfig = { model: ModelProvider };

/**
 * Callbacks of the application in an agent's run: before and after the run, before each tool call, for approvals, and
 * on failure.
 */
export type AgentHooks = { [Name in keyof HookMethods]: HookMethods[Name] | undefined };

/** Options shared by agents and teams: sessions, retries, context size, events and limits. */
export type SharedConfig = LogChoice & {
  /**
   * The driver that stores the sessions. @default in memory: up to 10,000 sessions, each dropped after 24 hours without
   * use, in at most a quarter of the heap and 256 MB
   */
  storage?: StorageDriver | undefined;
  /**
   * The number of past turns in the history. @default 43 to 50: older turns are dropped eight at a time, so that
   * vendors' prompt caches still match the remaining turns
   */
  numHistoryRuns?: number | undefined;
  /**
   * The maximum size of each model call, in estimated tokens. The oldest turns of the history are omitted first. Then
   * the run's oldest tool calls and their results are omitted, in blocks of up to a quarter. The system prompt, the
   * tools, the input and the newest results stay. If a call is still too large, it is made with a warning. @default no
   * limit
   */
  maxContextTokens?: number | undefined;
  /**
   * The model that writes session titles, after the first turn. @default the beginning of the first message is the
   * title
   */
  titles?: TitleConfig | undefined;
  /** The bus that receives the events of each run. @default a new bus */
  eventBus?: EventBus<RunEvents> | undefined;
  /**
   * Records traces and metrics of the runs, such as `createTelemetry()` of `@troupe/otel`. A service's telemetry takes
   * precedence, and child runs inherit it. @default nothing is recorded
   */
  telemetry?: Telemetry | undefined;
  /** Retries model calls that fail before their first chunk. @default 3 retries */
  retry?: Partial<RetryConfig> | undefined;
  /**
   * Limits of each run. A team's limits apply to the whole team: a member may use four fifths of the remaining time.
   * @default 10 minutes, and no limit on tokens
   */
  limits?: RunLimits | undefined;
  /**
   * The policy for a run whose session is busy with another run: the run waits or is rejected. A policy has `onBusy`,
   * `maxWaiting` (10 runs) and `waitMs` (60000); a run beyond these limits is rejected as `conflict`. @default
   * "enqueue"
   */
  onBusy?: BusyPolicy["onBusy"] | Partial<BusyPolicy> | undefined;
  /**
   * The policy for a new run while a durable run of its session waits for an answer: reject the new run, or cancel the
   * waiting run. @default "reject"
   */
  onWaiting?: "reject" | "cancel" | undefined;
  /**
   * The policy for a run whose turn cannot be stored. `error`: the run fails with the storage's error. `answer`: the
   * answer is delivered with `stored: false` and a warning. In a team the option applies to the team's turns, not to
   * its members' turns. @default "error"
   */
  onStorageFailure?: StorageFailurePolicy | undefined;
};

/**
 * Constructor options of an `Agent`: its model, instructions and tools, its memory and storage, guardrails and limits.
 */
export type AgentConfig<Schema extends ObjectSchema | undefined = ObjectSchema | undefined> = {
  /** The name of the agent for clients, teams and events. */
  name: string;
  /** The agent's purpose in one sentence, for cards, listings and teams that choose a member. */
  description?: string | undefined;
  /** The model that answers, such as `openai("gpt-6.1-sol")`. */
  model: ModelProvider;
  /** The system prompt of each run, or a function that returns the system prompt of a run. */
  instructions?: string | ((context: RunContext) => string | Promise<string>) | undefined;
  /**
   * The tools that the model may call, and tool sources, whose tools are loaded when a run begins. May be a function
   * that receives the run context and returns the tools of that run; your program closes the sources that this function
   * returns.
   */
  tools?: ToolList | MakeTools | undefined;
  /**
   * The source of the history instead of the session's turns: a `Memory`, or an object with the five methods of
   * `AgentMemory`.
   */
  memory?: AgentMemory | undefined;
  /**
   * The session id of runs that do not name a session in their options. Not used for clients of a transport and for
   * child runs. @default a new session for each run
   */
  sessionId?: string | undefined;
  /** The user id of runs that do not name a user in their options. Not used for clients of a transport. */
  userId?: string | undefined;
  /** False sends the model no history of the session. @default true */
  addHistoryToMessages?: boolean | undefined;
  /** The number of round trips after which the model must answer without tools. @default 10 */
  maxToolRoundtrips?: number | undefined;
  /**
   * The maximum number of tool calls of one model call that run at the same time. The others wait in order; a tool's
   * timeout begins with its execution. @default 32
   */
  maxParallelTools?: number | undefined;
  /**
   * Called before each model call of a run, including repairs of a structured answer. It may choose the model, the
   * instructions and the tools of that call, or end the run.
   */
  prepareStep?: PrepareStep | undefined;
  /** Settings of the model calls. A run's own `modelOptions` override them one by one. */
  modelOptions?: ModelSettings | undefined;
  /** The temperature of model calls: the same as `modelOptions.temperature`, which overrides it. */
  temperature?: number | undefined;
  /** The schema of the answer. `output.structured` holds the checked value. */
  structuredOutput?: Schema | undefined;
  /**
   * Functions of the application that are called in each run: before and after the run, at tool calls, and on failure.
   */
  hooks?: AgentHooks | undefined;
  /** Checks of the input and of the answer, which may reject or replace the text. */
  guardrails?: GuardrailConfig | undefined;
  /** The thinking of the model: the same as `modelOptions.reasoning`, which overrides it. */
  reasoning?: ReasoningConfig | undefined;
  /** Facts about the user, which are given to the model and extracted after each answer. */
  userMemory?: AgentUserMemory | undefined;
} & SharedConfig;
