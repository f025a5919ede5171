import type { PublicError } from "../../base/errors/public-error.ts";
import type { ApiKeys } from "../../model/keys/api-keys.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { ToolEffect } from "../../base/message/tool-call.ts";
import type { RunOpts, ServedRunOpts } from "../../agents/run/run-options.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { RunChunk, RunWait } from "../../agents/run/run-wait.ts";

/** The kind of runnable that a `RunService` performs. */
export type RunKind = "agent" | "team" | "workflow";

/** The statuses of a durable run: three of an open run, three of an ended run. */
export const runStatuses = ["queued", "running", "waiting", "completed", "error", "cancelled"] as const;

/** The status of a durable run. */
export type RunStatus = (typeof runStatuses)[number];

/** A durable run in the form that its owner may see. Times are epoch milliseconds. */
export type RunView = {
  runId: string;
  kind: RunKind;
  name: string;
  sessionId: string;
  status: RunStatus;
  createdAt: number;
  startedAt?: number;
  endedAt?: number;
  /**
   * The number of attempts so far, including the attempt that ended the run: more than one after a takeover or an
   * answer.
   */
  attempts: number;
  /** The name of the process that made the last attempt; absent before the first attempt. */
  node?: string;
  /** The time at which the run is removed; absent while the run is open and was given no `ttlMs`. */
  expiresAt?: number;
  /** The strings under `tags` in the metadata with which the run began. It is not for clients. */
  tags?: string[];
  /** The questions that the run waits for, while its status is `waiting`. */
  waits?: RunWait[];
  /** The public output after the end; for a failed run, the output up to the failure. */
  output?: Json;
  error?: PublicError;
  /** The note about the run by the transport that accepted it. It is not for clients. */
  note?: Json;
};

/** Options for listing runs: the page size, the cursor after which the page begins, and the status of the runs. */
export type RunListOptions = {
  /** Lists only runs of this status. */
  status?: RunStatus | undefined;
  /** Maximum number of runs, from 1 to 100. @default 20 */
  limit?: number | undefined;
  /** The cursor from `next` of the previous page. */
  after?: string | undefined;
  /** True to include the runs' outputs, which may be long. @default false */
  hasOutputs?: boolean | undefined;
};

/** A page of a list of runs, newest first. `next` is the cursor of the next page; absent on the last page. */
export type RunPage = { runs: RunView[]; next?: string };

/**
 * An event of a durable run. `id` is the position of the event, after which `events` of `RunService` can continue. Ids
 * are opaque and the same for every reader.
 */
export type RunEvent = { readonly id: string } & (
  | { readonly type: "chunk"; readonly step: string; readonly chunk: RunChunk }
  /** Here and below, `at` is in epoch milliseconds. Events of earlier releases lack it. */
  | { readonly type: "attempt"; readonly attempt: number; readonly node: string; readonly at?: number }
  /** Earlier chunks of this step are void: another attempt creates them again. */
  | { readonly type: "reset"; readonly step: string }
  | {
      readonly type: "call";
      readonly step: string;
      readonly toolName: string;
      readonly args: Json;
      readonly effect: ToolEffect;
      readonly at?: number;
    }
  /**
   * `value` is the result of the step, in the form that the journal stores for later attempts. It must be filtered
   * before clients see it.
   */
  | {
      readonly type: "done";
      readonly step: string;
      readonly value: Json;
      readonly usage?: TokenUsage;
      readonly durationMs: number;
      readonly at?: number;
    }
  | { readonly type: "wait"; readonly wait: RunWait }
  | { readonly type: "end"; readonly output: Json; readonly error?: PublicError }
);

/** The caller of a `RunService`: the owner that the transport has established, or `"host"` for the program itself. */
export type RunCaller = SessionOwner | "host";

/** API keys of a caller: one for each vendor, and the generic key for the runnable's vendor. */
export type RunKeys = { apiKeys?: ApiKeys | undefined; apiKey?: string | undefined };

/**
 * Options of a durable run: the run options that are JSON. The user comes from the owner, and API keys are passed
 * separately.
 */
export type DurableRunOptions = Pick<
  ServedRunOpts,
  | "sessionId"
  | "metadata"
  | "messages"
  | "limits"
  | "modelOptions"
  | "instructions"
  | "additions"
  | "isUnstored"
  | "continueFrom"
  | "fromOutside"
>;

/**
 * Run options that are not stored: functions, a signal that cancels the run, and large inputs. They take precedence
 * over `input` and `options`, and apply only in this process.
 */
export type LocalRunOptions = Pick<RunOpts, "signal" | "model" | "tools" | "metadata" | "messages"> & {
  /** The input with which this process performs the run, instead of the request's `input`. */
  input?: unknown;
};

/** A run to accept. */
export type RunRequest = {
  kind: RunKind;
  /** The name under which the runnable is registered in the service. */
  name: string;
  /** The message. For a workflow it may also be an object that is merged over its state, or undefined. */
  input?: unknown;
  options?: DurableRunOptions | undefined;
  /** The owner of the run. @default a run without a user, which everyone who knows its id may access */
  owner?: SessionOwner | undefined;
  keys?: RunKeys | undefined;
  /**
   * True for a run that callers without a user, within the owner's tenant, may access by its id. Used for a user whose
   * id is claimed and not proven.
   * @default false with a user
   */
  isBearer?: boolean | undefined;
  /**
   * The remote address of a caller without a verified user, if it is known to be the client's. Its open runs are
   * counted separately.
   */
  address?: string | undefined;
  /**
   * Options that only a service without a storage accepts, because the run ends with the process. Other services reject
   * the run.
   */
  local?: LocalRunOptions | undefined;
  /**
   * Key of 1 to 255 characters. A repeated request of the same owner for the same runnable with the same key returns
   * the same run.
   */
  idempotencyKey?: string | undefined;
  /**
   * JSON that identifies the request among requests with the same idempotency key. Set it if `options` contains more
   * than the caller's own values. @default the kind, the name, the input and the options
   */
  fingerprint?: Json | undefined;
  /**
   * True to accept only a repeated request: if no run has its idempotency key, the request is rejected as `gone`, and
   * no run begins. @default false
   */
  mustExist?: boolean | undefined;
  /** Priority of the run; lower numbers go first. The caller's number of open runs is added. @default 10 */
  priority?: number | undefined;
  /** Epoch milliseconds before which the run does not begin. */
  notBefore?: number | undefined;
  /**
   * Milliseconds after which the run is `not_found` for its owner and soon removed. A run that is still open is
   * cancelled.
   * @default no limit: it is removed some time after its end, see `retention`
   */
  ttlMs?: number | undefined;
  /** JSON data of the transport, returned in `RunView` and never shown to clients: at most 262,144 characters. */
  note?: Json | undefined;
  /**
   * Called after all checks, before the run is stored: for changes that must not be made for a rejected run. If it
   * rejects, so does `accept`. Not called if an existing run is found by its idempotency key. @default no call
   */
  beforeStored?: (() => Promise<void>) | undefined;
  /**
   * A webhook that is notified of the run's end and of its waits. It is stored encrypted, which needs `sealKeys` in a
   * persistent storage. @default only the webhooks of the service
   */
  webhook?: { readonly url: string; readonly secret: string } | undefined;
  /** The telemetry of the request that begins the run. @default that of the service */
  telemetry?: Telemetry | undefined;
  /** The id of the new run, a UUID. @default a new id, or an id made from the idempotency key */
  runId?: string | undefined;
};

/** An accepted run. If `isNew` is false, an existing run was found by its idempotency key. */
export type AcceptedRun = { runId: string; sessionId: string; isNew: boolean };

/** A finding of `checkUpgrade`: an open run that cannot continue with this process's runnables. */
export type UpgradeFinding = { runId: string; kind: RunKind; name: string; missing: string[] };
