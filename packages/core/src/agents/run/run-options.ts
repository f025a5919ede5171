import type { EventBus } from "../../base/events/event-bus.ts";
import type { Journal } from "../journal/journal.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ApiKeys } from "../../model/keys/api-keys.ts";
import type { ModelSettings } from "../../model/model-config.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { StatedOwner } from "../../sessions/storage/session-owner.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { RunContext } from "./run-context.ts";
import type { RunEvents } from "./run-events.ts";
import type { ToolDef, ToolSource } from "./tool.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** Limits of one run. A run over a limit ends with the error `limit_exceeded`. */
export type RunLimits = {
  /** The longest duration in milliseconds. @default 600000 */
  durationMs?: number | undefined;
  /** The largest number of tokens for all model calls together. @default no limit */
  totalTokens?: number | undefined;
};

/** Policy for an answer whose turn cannot be stored: the run fails, or the answer is delivered. */
export type StorageFailurePolicy = "error" | "answer";

/** Options of one call of `run` or `stream`: session, user, API keys, limits, signal, and the parent run. */
export type RunOpts = {
  /** The session that the run continues. */
  sessionId?: string | undefined;
  /**
   * True if the caller has just made `sessionId`, so that no session of that id can exist. Set by transports that send the id
   * to their client before the run begins. @default false
   */
  isNewSession?: boolean | undefined;
  /** The user that owns the session and the facts. */
  userId?: string | undefined;
  /**
   * False if `userId` is only claimed, such as by a field of a request. The run then cannot reach what the verified user of
   * that name has. Child runs inherit it. @default true
   */
  verified?: boolean | undefined;
  /** Data of the application, available as `context.metadata`. */
  metadata?: Record<string, unknown> | undefined;
  /**
   * The earlier conversation, for a session without turns. It is the history of the run, and is stored with the first turn.
   * If the session has turns, the run is refused as `conflict`.
   */
  messages?: readonly ChatMessage[] | undefined;
  /**
   * An API key for the vendor of the runnable, or of the option `model`; never sent to another vendor. With `fromOutside` it is
   * always for the vendor of the runnable.
   */
  apiKey?: string | undefined;
  /** API keys by vendor. */
  apiKeys?: ApiKeys | undefined;
  /** Ends the run as cancelled. */
  signal?: AbortSignal | undefined;
  /** Limits of the run, in place of the agent's. */
  limits?: RunLimits | undefined;
  /**
   * Settings of the model calls of this run. They override those of the agent, of the team's orchestrator, or of all agent
   * steps of a workflow. Child runs do not inherit them.
   */
  modelOptions?: ModelSettings | undefined;
  /**
   * The model of this run, in place of that of the agent or of the team's orchestrator. It gets only the caller's key for its
   * own vendor. `prepareStep` takes precedence. Child runs do not inherit it, and a workflow refuses it.
   */
  model?: ModelProvider | undefined;
  /**
   * The instructions of this run, in place of those of the agent or team. Memory, facts and the list of a team's members stay
   * in the system prompt. Child runs do not inherit them, and a workflow refuses them.
   */
  instructions?: string | undefined;
  /**
   * The tools of this run, in place of the agent's. The caller closes sources among them. Child runs do not inherit them, and
   * teams and workflows refuse them.
   */
  tools?: readonly (ToolDef | ToolSource)[] | undefined;
  /** The tenant of the user, in a service with several. Tenants share no sessions, memory or facts. */
  tenantId?: string | undefined;
  /**
   * The context of the run that starts this one. The child run inherits keys, user, tenant, metadata and signal unless its own
   * options have them, and its usage is added to the parent run.
   */
  parent?: RunContext | undefined;
  /** The id of the run, a UUID, for a caller that needs it before the run begins. @default a new id */
  runId?: string | undefined;
  /**
   * Marks a run that a transport starts for its client. The configured session and user are used neither for it nor for its
   * child runs. @default false
   */
  fromOutside?: boolean | undefined;
  /**
   * The journal of this attempt at a durable run. Set by `RunService` only. Child runs of a tool call or a step continue it.
   */
  journal?: Journal | undefined;
};

/** Configured values of a runnable for options that a call leaves out, and the vendor that a generic key is for. */
export type RunDefaults = {
  sessionId?: string | undefined;
  userId?: string | undefined;
  limits?: RunLimits | undefined;
  providerId?: string | undefined;
};

/** The settings of a run: its options, checked and completed from its parent run and the configuration. */
export type RunSettings = {
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly fromOutside: boolean;
  /** The conversation that came before, where the call has brought one. */
  readonly messages: readonly ChatMessage[] | undefined;
  readonly sessionId: string;
  /** False for a session that was made for this run. */
  readonly isNamedSession: boolean;
  readonly userId: string | undefined;
  readonly verified: boolean;
  readonly tenantId: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly apiKeys: ApiKeys;
  /** The signals of the caller and of the parent run: each ends the run as cancelled. */
  readonly signals: readonly AbortSignal[];
  readonly limits: { readonly [Name in keyof Required<RunLimits>]: number };
  /** The settings for the model calls that the run was given. */
  readonly modelOptions?: ModelSettings | undefined;
  /** The model of this run in place of the configured one, where the call has given one; so too the next two. */
  readonly model?: ModelProvider | undefined;
  readonly instructions?: string | undefined;
  readonly tools?: readonly (ToolDef | ToolSource)[] | undefined;
  /** The meter of the parent run, which counts the usage too. */
  readonly parentMeter: UsageMeter | undefined;
  /** The event buses of the parent run and of all runs above it, which receive the warnings of this run too. */
  readonly parentBuses: readonly EventBus<RunEvents>[];
  /** The logger of the parent run's context, for a runnable without a log of its own. */
  readonly parentLogger: Logger | undefined;
  /** The storage of sessions that end with a parent run, if there are any. */
  readonly ephemeralStorage: StorageDriver | undefined;
  /** The same, when the session of this run is one of them. */
  readonly sessionStorage: StorageDriver | undefined;
  /** The journal of the run's part of a durable run. */
  readonly journal: Journal | undefined;
};

/**
 * Returns the owner (tenant, user, and whether the user is verified) of the session, the memory and the facts of a run.
 */
export function ownerOf({ tenantId, userId, verified }: RunSettings): StatedOwner {
  return { tenantId, userId, verified };
}
