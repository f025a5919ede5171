import type { ApiKeys } from "../keys/api-keys.ts";
import { selectKey } from "../keys/select-key.ts";
import type { Logger } from "../log/logger.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** What tools, hooks, guardrails and instructions know of the run they are part of. It holds no keys. */
export type RunContext = {
  readonly runId: string;
  readonly parentRunId?: string;
  readonly agentName: string;
  readonly sessionId: string;
  readonly userId?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Aborts when the run ends before its time; hand it to everything that waits. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** Within a tool: the call it answers. */
  readonly toolCallId?: string;
  /** Within a tool: the same for every attempt at this call. */
  readonly idempotencyKey?: string;
};

/** What a run keeps from those it hands its context to. */
type Private = {
  readonly apiKeys: ApiKeys;
  readonly tenantId?: string | undefined;
  readonly meter: UsageMeter;
  /** Where the runs below keep the sessions that are not to outlive this one. */
  readonly scratch?: StorageDriver | undefined;
  /** When the run's time is over, by the monotonic clock: no run below has more. */
  readonly endsAt?: number | undefined;
  /** Whether somebody outside of this process asked for the run. */
  readonly fromOutside?: boolean;
};

/** What is different within one tool call. */
export type CallContext = { toolCallId: string; idempotencyKey: string; signal: AbortSignal; logger?: Logger };

let privateOf: (context: RunContext) => Private | undefined;

/**
 * A context with a private slot for what goes down to child runs and to nobody else. A context that somebody copied or
 * made by hand has no slot: runs started with it are nobody's children.
 */
class ScopedContext {
  readonly #private: Private;

  constructor(facts: RunContext, secrets: Private) {
    Object.assign(this, facts);
    this.#private = secrets;
  }

  // Handed out here and not as a member: every context leads to its class, and the class must lead nowhere.
  static {
    privateOf = (context) => (#private in context ? context.#private : undefined);
  }
}

/** Makes the context of a run. */
export function createRunContext(facts: RunContext, secrets: Private): RunContext {
  return scoped(facts, secrets);
}

/** The context of one tool call within the run. */
export function contextForCall(context: RunContext, call: CallContext): RunContext {
  const secrets = privateOf(context);
  return secrets === undefined ? { ...context, ...call } : scoped({ ...context, ...call }, secrets);
}

/** The same context for runs below that have an account of their own, perhaps sessions that end with this run, and less time. */
export function contextForRuns(context: RunContext, own: Pick<Private, "meter" | "scratch" | "endsAt">): RunContext {
  const [apiKeys, tenantId, fromOutside] = [apiKeysOf(context), tenantOf(context), isFromOutside(context)];
  return scoped(context, { apiKeys, tenantId, fromOutside, ...own });
}

/** The caller's key for a vendor, if there is one. */
export function keyFor(context: RunContext, providerId: string | undefined): string | undefined {
  const keys = privateOf(context)?.apiKeys;
  return keys === undefined || providerId === undefined ? undefined : selectKey(keys, providerId);
}

/** All keys that came with the run. */
export function apiKeysOf(context: RunContext): ApiKeys {
  return privateOf(context)?.apiKeys ?? {};
}

/** The account of the run: what is billed within it is added there. */
export function meterOf(context: RunContext): UsageMeter | undefined {
  return privateOf(context)?.meter;
}

/** The tenant that the run belongs to. */
export function tenantOf(context: RunContext): string | undefined {
  return privateOf(context)?.tenantId;
}

/** Where the runs below keep the sessions that end with this run, if there are any. */
export function scratchOf(context: RunContext): StorageDriver | undefined {
  return privateOf(context)?.scratch;
}

/** When the time of the run is over; a run below has no more than that. */
export function endsAtOf(context: RunContext): number {
  return privateOf(context)?.endsAt ?? Infinity;
}

/** Whether somebody outside of this process asked for the run: then what is configured stands in for nobody. */
export function isFromOutside(context: RunContext): boolean {
  return privateOf(context)?.fromOutside === true;
}

function scoped(facts: RunContext, secrets: Private): RunContext {
  return new ScopedContext(facts, secrets) as unknown as RunContext;
}
