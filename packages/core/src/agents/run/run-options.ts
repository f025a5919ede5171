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
   * True when the caller has made `sessionId` for this run, as a transport does that tells its client the id before the run
   * begins: it names no session that could be there already. @default false
   */
  isNewSession?: boolean | undefined;
  /** The user whom the session and the facts belong to. */
  userId?: string | undefined;
  /**
   * False when `userId` is only claimed, as by a field of a request: the run works in a space apart from what the verified
   * user of that name has. A child run inherits it. @default true
   */
  verified?: boolean | undefined;
  /** Data of the application, found at the run's context. */
  metadata?: Record<string, unknown> | undefined;
  /**
   * The conversation that came before, for a session without turns: the run has it as its history, and stores it with the
   * session's first turn. With a session that has turns the run is refused as `conflict`.
   */
  messages?: readonly ChatMessage[] | undefined;
  /**
   * A key for the vendor of the runnable, or of the `model` beside it; never sent to another vendor. From outside it is for
   * the vendor of the runnable, which is all that a client knows.
   */
  apiKey?: string | undefined;
  /** One key per vendor. */
  apiKeys?: ApiKeys | undefined;
  /** Ends the run as cancelled. */
  signal?: AbortSignal | undefined;
  /** Bounds of the run, in place of those of the agent. */
  limits?: RunLimits | undefined;
  /**
   * Settings of the model calls of this run, over those of the agent or the team's orchestrator; of a workflow, of all its
   * agent steps. Child runs do not inherit them.
   */
  modelOptions?: ModelSettings | undefined;
  /**
   * The model of this run, in place of the agent's or the team's orchestrator's. It gets the caller's key for its own vendor
   * alone. `prepareStep` goes before it; child runs do not inherit it, and a workflow refuses it.
   */
  model?: ModelProvider | undefined;
  /**
   * The instructions of this run, in place of the agent's or the team's own; memory, facts and the list of a team's members
   * stay in the system prompt. Child runs do not inherit them, and a workflow refuses them.
   */
  instructions?: string | undefined;
  /**
   * The tools of this run of an agent, in place of its own. Sources among them are the caller's to close. Child runs do not
   * inherit them; a team and a workflow, which have no tools of their own, refuse them.
   */
  tools?: readonly (ToolDef | ToolSource)[] | undefined;
  /** The user's tenant in a service with several: tenants share no sessions, memory and facts. */
  tenantId?: string | undefined;
  /**
   * The context of the run that starts this one: the child run inherits keys, user, tenant, metadata and signal where its own
   * options have none, and its usage counts for the parent run too.
   */
  parent?: RunContext | undefined;
  /** The id of the run, a UUID, for a caller that must know it before the run begins. @default a new one */
  runId?: string | undefined;
  /**
   * Marks a caller from outside of this process, as every transport does: the configured session and user are not used for
   * it, neither in this run nor in its child runs. @default false
   */
  fromOutside?: boolean | undefined;
  /**
   * The journal of this attempt at a durable run: set by `RunService` alone. Child runs started in a tool call or a step go
   * on with it.
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
