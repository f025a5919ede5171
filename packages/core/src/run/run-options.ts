import type { ApiKeys } from "../keys/api-keys.ts";
import type { SessionOwner } from "../session/session-owner.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import type { RunContext } from "./run-context.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** Bounds of one run; a run that passes one ends as error `limit_exceeded`. */
export type RunLimits = {
  /** How long the run may take. @default 600000 */
  durationMs?: number;
  /** How many tokens all its model calls together may use. */
  totalTokens?: number;
};

/** What a caller may say about one run. */
export type RunOpts = {
  sessionId?: string;
  userId?: string;
  /**
   * False when `userId` is only claimed, as by a field of a request: the run works in a space apart from what the verified
   * user of that name has. A child run inherits it. @default true
   */
  verified?: boolean;
  metadata?: Record<string, unknown>;
  /** A key for the vendor of what is called; never sent to another vendor. */
  apiKey?: string;
  /** One key per vendor. */
  apiKeys?: ApiKeys;
  /** Ends the run as cancelled. */
  signal?: AbortSignal;
  limits?: RunLimits;
  /** The user's tenant, where a service has several: sessions, memory and facts of one are unknown to the others. */
  tenantId?: string;
  /**
   * The run that starts this one: its keys, user, tenant, metadata and signal go down where nothing else is said, and what
   * this run is billed is added to its account.
   */
  parent?: RunContext;
  /** The run's id, a UUID, where whoever starts the run must know it before the run has begun; a new one otherwise. */
  runId?: string;
  /**
   * Whoever asks is not of this process: where no session or user is named, the configured ones do not stand in, neither
   * here nor in the runs below. Every transport says so. @default false
   */
  fromOutside?: boolean;
};

/** What the runnable adds to the options of a call: what is configured, and the vendor that a generic key is for. */
export type RunDefaults = {
  sessionId?: string | undefined;
  userId?: string | undefined;
  limits?: RunLimits | undefined;
  providerId?: string | undefined;
};

/** The options of a run, checked, and completed from its parent run and from what is configured. */
export type RunSettings = {
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly fromOutside: boolean;
  readonly sessionId: string;
  readonly userId: string | undefined;
  readonly verified: boolean;
  readonly tenantId: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly apiKeys: ApiKeys;
  /** The caller's and the parent run's: each ends the run as cancelled. */
  readonly signals: readonly AbortSignal[];
  readonly limits: Required<RunLimits>;
  /** Counts what the run uses for its parent as well. */
  readonly parentMeter: UsageMeter | undefined;
  /** Holds the sessions that end with a parent run, if there are any. */
  readonly ephemeralStorage: StorageDriver | undefined;
  /** The same, when the session of this run is one of them. */
  readonly sessionStorage: StorageDriver | undefined;
};

/** Returns the owner of the session, the memory and the facts of a run. */
export function ownerOf({ tenantId, userId, verified }: RunSettings): SessionOwner {
  return { tenantId, userId, verified };
}
