import type { PublicError } from "../../base/errors/public-error.ts";
import type { ApiKeys } from "../../model/keys/api-keys.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { ToolEffect } from "../../base/message/tool-call.ts";
import type { RunOpts } from "../../agents/run/run-options.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { RunChunk, RunWait } from "../../agents/journal/log-entry.ts";

/** The kind of runnable that a `RunService` performs. */
export type RunKind = "agent" | "team" | "workflow";

/** The status of a durable run: three while it is open, three after its end. */
export type RunStatus = "queued" | "running" | "waiting" | "completed" | "error" | "cancelled";

/** A durable run as its owner may see it. Times are epoch milliseconds. */
export type RunView = {
  runId: string;
  kind: RunKind;
  name: string;
  sessionId: string;
  status: RunStatus;
  createdAt: number;
  startedAt?: number;
  endedAt?: number;
  /** The number of attempts so far, with the one that ends the run: more than one after a takeover or an answer. */
  attempts: number;
  /** The name of the process that made the last attempt; absent before the first one. */
  node?: string;
  /** The time at which the run is removed; absent while it is open and was given no `ttlMs`. */
  expiresAt?: number;
  /** The questions that the run waits for, while its status is `waiting`. */
  waits?: RunWait[];
  /** The public output, after the end; of a failed run, that until then. */
  output?: Json;
  error?: PublicError;
  /** The note of the transport that accepted the run: not for clients. */
  note?: Json;
};

/** A page of a listing of runs: its size, the cursor after which it begins, and the status of the runs. */
export type RunListOptions = {
  /** Only runs of this status. */
  status?: RunStatus | undefined;
  /** Number of runs, from 1 to 100. @default 20 */
  limit?: number | undefined;
  /** `next` of the page before. */
  after?: string | undefined;
  /** True for runs with their outputs, which may be long. @default false */
  hasOutputs?: boolean | undefined;
};

/** A page of an owner's runs, newest first. `next` is the cursor of the next page, and is absent on the last. */
export type RunPage = { runs: RunView[]; next?: string };

/**
 * An event of a durable run. `id` is its position: `events` of `RunService` goes on behind it. Ids are opaque, and the same
 * for every reader.
 */
export type RunEvent = { readonly id: string } & (
  | { readonly type: "chunk"; readonly step: string; readonly chunk: RunChunk }
  /** `at`, here and below: epoch milliseconds. Absent in what an earlier release stored. */
  | { readonly type: "attempt"; readonly attempt: number; readonly node: string; readonly at?: number }
  /** The chunks of this step that came before are void: another attempt makes them anew. */
  | { readonly type: "reset"; readonly step: string }
  | {
      readonly type: "call";
      readonly step: string;
      readonly toolName: string;
      readonly args: Json;
      readonly effect: ToolEffect;
      readonly at?: number;
    }
  /** `value` is what the journal keeps of the step for later attempts: not for clients as it is. */
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

/** Keys of a caller: one per vendor, and the generic one for the vendor of the runnable. */
export type RunKeys = { apiKeys?: ApiKeys | undefined; apiKey?: string | undefined };

/** Options of a durable run: those of `RunOpts` that are JSON. The user comes from the owner, and keys are passed separately. */
export type DurableRunOptions = Pick<
  RunOpts,
  "sessionId" | "metadata" | "messages" | "limits" | "modelOptions" | "instructions" | "fromOutside"
>;

/**
 * Options of a run that are not stored: functions, a signal that ends the run as cancelled, and large inputs. They take
 * precedence over `input` and `options`, and hold only in this process.
 */
export type LocalRunOptions = Pick<RunOpts, "signal" | "model" | "tools" | "metadata" | "messages"> & {
  /** The input of the run, in place of the one that was accepted. */
  input?: unknown;
};

/** A run to accept. */
export type RunRequest = {
  kind: RunKind;
  /** The name under which the runnable was given to the service. */
  name: string;
  /** The message; of a workflow also an object that is merged over its state, or nothing. */
  input?: unknown;
  options?: DurableRunOptions | undefined;
  /** @default a run without a user, which all who know its id may reach */
  owner?: SessionOwner | undefined;
  keys?: RunKeys | undefined;
  /**
   * True for a run that all callers of the owner's tenant without a user may reach by its id, as for a user who is only claimed.
   * @default false with a user
   */
  isBearer?: boolean | undefined;
  /** The remote address of a caller without a verified user, where it is known to be the client's: its open runs are counted apart. */
  address?: string | undefined;
  /** Options that only a service without a storage takes, as the run ends with the process: any other refuses the run. */
  local?: LocalRunOptions | undefined;
  /** A repeated request of the same owner with the same key is the same run. 1 to 255 characters. */
  idempotencyKey?: string | undefined;
  /**
   * JSON by which a repeated request is told from another one with the same key, where `options` has more than the caller's
   * own words. @default the kind, the name, the input and the options
   */
  fingerprint?: Json | undefined;
  /** True for a repeated request alone: when there is no run of its key, it is `gone` and none begins. @default false */
  mustExist?: boolean | undefined;
  /** Runs with a lower number go first; the caller's open runs are added to it. @default 10 */
  priority?: number | undefined;
  /** Epoch milliseconds before which the run does not begin. */
  notBefore?: number | undefined;
  /**
   * Milliseconds after which the run is `not_found` for its owner and soon removed, also one that is not over: it is cancelled.
   * @default none: it is removed some time after its end, see `retention`
   */
  ttlMs?: number | undefined;
  /** JSON of the transport's own, which `RunView` has again and no client sees: at most 262,144 characters. */
  note?: Json | undefined;
  /**
   * Called once nothing but the storage can refuse the run, before it is stored: for changes that must not be made for a run that
   * is refused. When it rejects, so does `accept`. Not called for a run that is found again by its key. @default nothing
   */
  beforeStored?: (() => Promise<void>) | undefined;
  /** The id of the new run, a UUID. @default a new one, or one made of the idempotency key */
  runId?: string | undefined;
};

/** A run that was accepted, or, when `isNew` is false, found again by its idempotency key. */
export type AcceptedRun = { runId: string; sessionId: string; isNew: boolean };

/** A finding of `checkUpgrade`: an open run that cannot go on with the runnables of this process. */
export type UpgradeFinding = { runId: string; kind: RunKind; name: string; missing: string[] };
