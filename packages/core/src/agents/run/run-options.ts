import type { EventBus } from "../../base/events/event-bus.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ApiKeys } from "../../model/keys/api-keys.ts";
import type { ModelSettings } from "../../model/model-config.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { StatedOwner } from "../../sessions/storage/session-owner.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { RunAdditions } from "./run-additions.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { RunContext } from "./run-context.ts";
import type { RunEvents } from "./run-events.ts";
import type { RunSteps } from "./run-steps.ts";
import type { ToolDef, ToolSource } from "./tool.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** Limits of one run. A run over a limit ends with the error `limit_exceeded`. */
export type RunLimits = {
  /** The maximum duration in milliseconds. @default 600000 */
  durationMs?: number | undefined;
  /** The maximum number of tokens of all model calls together. @default no limit */
  totalTokens?: number | undefined;
};

/** Policy for an answer whose turn cannot be stored: the run fails, or the answer is delivered. */
export type StorageFailurePolicy = "error" | "answer";

/** Options of one call of `run` or `stream`: session, user, API keys, limits, signal, and the parent run. */
export type RunOpts = {
  /** The id of the session that the run continues. */
  sessionId?: string | undefined;
  /** The id of the user that owns the session and the facts. */
  userId?: string | undefined;
  /** Data of the application, available as `context.metadata`. */
  metadata?: Record<string, unknown> | undefined;
  /**
   * The earlier conversation, for a session without turns. It becomes the history of the run and is stored with the
   * first turn. If the session has turns, the run is rejected as `conflict`.
   */
  messages?: readonly ChatMessage[] | undefined;
  /** An API key for the vendor of the runnable, or of the option `model`. It is never sent to another vendor. */
  apiKey?: string | undefined;
  /** The caller's API keys by vendor, instead of the keys of the providers and the environment. */
  apiKeys?: ApiKeys | undefined;
  /** Signal that cancels the run when it aborts. */
  signal?: AbortSignal | undefined;
  /** Limits of the run, instead of the configured limits. */
  limits?: RunLimits | undefined;
  /**
   * Settings of the model calls of this run. They override the settings of the agent, of the team's orchestrator, or of
   * all agent steps of a workflow. Child runs do not inherit them.
   */
  modelOptions?: ModelSettings | undefined;
  /**
   * The model of this run, instead of the agent's or orchestrator's model. It only receives the caller's key for its
   * own vendor. A model from `prepareStep` takes precedence. Child runs do not inherit it, and a workflow rejects it.
   */
  model?: ModelProvider | undefined;
  /**
   * The instructions of this run, instead of the agent's or team's instructions. Memory, facts and the list of a team's
   * members stay in the system prompt. Child runs do not inherit them, and a workflow rejects them.
   */
  instructions?: string | undefined;
  /**
   * The tools of this run, instead of the agent's tools. The caller closes the tool sources among them. Child runs do
   * not inherit them, and teams and workflows reject them.
   */
  tools?: readonly (ToolDef | ToolSource)[] | undefined;
  /**
   * Additions of this run's caller to the instructions, tools and limits of the agent or team, as JSON. Child runs do
   * not inherit them, and a workflow rejects them.
   */
  additions?: RunAdditions | undefined;
  /** The tenant of the user, in a service with several tenants. Tenants share no sessions, memory or facts. */
  tenantId?: string | undefined;
  /**
   * The context of the run that starts this run. The child run inherits keys, user, tenant and metadata unless its own
   * options set them. The parent run's signal always applies, and the child run's usage is added to the parent run.
   */
  parent?: RunContext | undefined;
  /** The id of the run, a UUID, for a caller that needs the id before the run begins. @default a new id */
  runId?: string | undefined;
};

/**
 * Options of a run that a transport starts for its client. The option `apiKey` is always for the runnable's own vendor.
 */
export type ServedRunOpts = RunOpts & {
  /**
   * True if the caller has just created `sessionId`, so that no session of that id can exist. A transport may send the
   * id to its client before the run begins. @default false
   */
  isNewSession?: boolean | undefined;
  /**
   * True to store nothing: the session lasts only as long as the run, no memory or facts are written, and no title is
   * made. @default false
   */
  isUnstored?: boolean | undefined;
  /**
   * The turn of the session from which the run continues: its number, and the run that stored it. If the session has
   * later turns, the run continues in a fork of the session, whose id is the run's id. Only for agents and teams.
   */
  continueFrom?: { readonly runId: string; readonly seq: number } | undefined;
  /**
   * False if `userId` is only claimed, for example by a field of a request. The run then cannot reach data of the
   * verified user of that name. Child runs inherit this option. @default true
   */
  verified?: boolean | undefined;
  /**
   * True for a run that a transport starts for its client. The configured session and user are then used neither for
   * the run nor for its child runs. @default false
   */
  fromOutside?: boolean | undefined;
  /** The telemetry of the service that serves the run. Child runs inherit it. @default the telemetry of the runnable */
  telemetry?: Telemetry | undefined;
};

/** Options of a durable run, set by `RunService`. */
export type AttemptRunOpts = ServedRunOpts & {
  /**
   * The journal steps of the run, some of which an earlier attempt may have done. Includes the steps of child runs that
   * start within a tool call or a workflow step.
   */
  steps?: RunSteps | undefined;
};

/** A runnable's configured values for options that a call omits, and the vendor of a generic API key. */
export type RunDefaults = {
  sessionId?: string | undefined;
  userId?: string | undefined;
  limits?: RunLimits | undefined;
  providerId?: string | undefined;
  telemetry?: Telemetry | undefined;
};

/** The settings of a run: its options, checked and completed from its parent run and the configuration. */
export type RunSettings = {
  readonly runId: string;
  readonly parentRunId: string | undefined;
  /** The id of the parent run's tool call that started the run. */
  readonly delegationId: string | undefined;
  readonly fromOutside: boolean;
  /** The earlier conversation, if the options of the run have `messages`. */
  readonly messages: readonly ChatMessage[] | undefined;
  readonly sessionId: string;
  /** False for a session that was created for this run. */
  readonly isNamedSession: boolean;
  readonly userId: string | undefined;
  readonly verified: boolean;
  readonly tenantId: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly apiKeys: ApiKeys;
  /** The signals of the caller and of the parent run. Each cancels the run when it aborts. */
  readonly signals: readonly AbortSignal[];
  readonly limits: { readonly [Name in keyof Required<RunLimits>]: number };
  /** The settings of the model calls given in the run's options. */
  readonly modelOptions?: ModelSettings | undefined;
  /** The model given in the run's options, which replaces the configured model, as do `instructions` and `tools`. */
  readonly model?: ModelProvider | undefined;
  readonly instructions?: string | undefined;
  readonly tools?: readonly (ToolDef | ToolSource)[] | undefined;
  readonly additions?: RunAdditions | undefined;
  /** The meter of the parent run, which also counts this run's usage. */
  readonly parentMeter: UsageMeter | undefined;
  /** The event buses of the parent run and of all runs above it, which also receive this run's warnings. */
  readonly parentBuses: readonly EventBus<RunEvents>[];
  /** The logger of the parent run's context, for a runnable without a logger of its own. */
  readonly parentLogger: Logger | undefined;
  /** The storage of sessions that last only as long as the parent run; undefined if there are no such sessions. */
  readonly ephemeralStorage: StorageDriver | undefined;
  /** True for a run that stores nothing: see `ServedRunOpts`. */
  readonly isUnstored: boolean | undefined;
  /** The turn from which the run continues: see `ServedRunOpts`. */
  readonly continueFrom: ServedRunOpts["continueFrom"];
  /** The storage of this run's session if the session lasts only as long as the run or its parent run. */
  readonly sessionStorage: StorageDriver | undefined;
  readonly steps: RunSteps;
  /** The telemetry that records the operations of the run. Undefined for most runs. */
  readonly telemetry: Telemetry | undefined;
};

/** Returns the owner of a run's session, memory and facts: tenant, user, and verification of the user. */
export function ownerOf({ tenantId, userId, verified }: RunSettings): StatedOwner {
  return { tenantId, userId, verified };
}
