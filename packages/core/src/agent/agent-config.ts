import type { EventBus } from "../events/event-bus.ts";
import type { GuardrailConfig } from "../guardrail/guardrail.ts";
import type { LogLevel } from "../log/log-level.ts";
import type { Memory } from "../memory/memory.ts";
import type { UserMemory } from "../memory/user-memory.ts";
import type { ReasoningConfig } from "../model/model-config.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import type { RetryConfig } from "../retry/retry-config.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunLimits } from "../run/run-options.ts";
import type { ObjectSchema } from "../schema/object-schema.ts";
import type { BusyPolicy } from "../lock/busy-policy.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import type { ToolDef, ToolSource } from "../tool/tool.ts";
import type { AgentHooks } from "./agent-hooks.ts";

/** How an agent is set up. */
export type AgentConfig<Schema extends ObjectSchema = ObjectSchema> = {
  name: string;
  /** What it is for, in a sentence: shown in cards and listings, and to a team that has to choose. */
  description?: string;
  model: ModelProvider;
  /** The system prompt, or what makes it for a run. */
  instructions?: string | ((context: RunContext) => string | Promise<string>);
  /** What the model may call; a source is asked for its tools when a run begins. */
  tools?: readonly (ToolDef | ToolSource)[];
  /** Where the history comes from, in place of the session's turns. */
  memory?: Memory;
  /** Keeps the sessions. @default in memory: 10,000 sessions, for 24 hours without use */
  storage?: StorageDriver;
  /** The session of a run that names none. @default a new one for each run */
  sessionId?: string;
  /** The user of a run that names none. */
  userId?: string;
  /** Whether the model is told what was said before. @default true */
  addHistoryToMessages?: boolean;
  /** How many of the past turns it is told. @default 50 */
  numHistoryRuns?: number;
  /** How often the model may ask for tools before it has to answer. @default 10 */
  maxToolRoundtrips?: number;
  temperature?: number;
  /** The form of the answer: `output.structured` holds the checked value. */
  structuredOutput?: Schema;
  hooks?: AgentHooks;
  guardrails?: GuardrailConfig;
  /** @default one of its own */
  eventBus?: EventBus<RunEvents>;
  reasoning?: ReasoningConfig;
  /** What is known of the user: told to the model, and gathered after each answer. */
  userMemory?: UserMemory;
  /** @default "silent" */
  logLevel?: LogLevel;
  /** When and how often a failed model call is repeated. */
  retry?: Partial<RetryConfig>;
  /** All that the model is sent fits into so many tokens: the oldest turns stay out. */
  maxContextTokens?: number;
  /** @default 10 minutes, and as many tokens as it takes */
  limits?: RunLimits;
  /** What becomes of a run whose session is busy with another, and how many may wait for how long. @default "enqueue" */
  onBusy?: BusyPolicy["onBusy"] | Partial<BusyPolicy>;
};
