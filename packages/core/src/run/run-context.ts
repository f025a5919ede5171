import type { ApiKeys } from "../keys/api-keys.ts";
import { selectKey } from "../keys/select-key.ts";
import type { Logger } from "../log/logger.ts";
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
type Private = { readonly apiKeys: ApiKeys; readonly tenantId?: string | undefined; readonly meter: UsageMeter };

/** What is different within one tool call. */
export type CallContext = { toolCallId: string; idempotencyKey: string; signal: AbortSignal; logger?: Logger };

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

  static privateOf(context: RunContext): Private | undefined {
    return #private in context ? context.#private : undefined;
  }
}

/** Makes the context of a run. */
export function createRunContext(facts: RunContext, secrets: Private): RunContext {
  return scoped(facts, secrets);
}

/** The context of one tool call within the run. */
export function contextForCall(context: RunContext, call: CallContext): RunContext {
  const secrets = ScopedContext.privateOf(context);
  return secrets === undefined ? { ...context, ...call } : scoped({ ...context, ...call }, secrets);
}

/** The caller's key for a vendor, if there is one. */
export function keyFor(context: RunContext, providerId: string | undefined): string | undefined {
  const keys = ScopedContext.privateOf(context)?.apiKeys;
  return keys === undefined || providerId === undefined ? undefined : selectKey(keys, providerId);
}

/** All keys that came with the run. */
export function apiKeysOf(context: RunContext): ApiKeys {
  return ScopedContext.privateOf(context)?.apiKeys ?? {};
}

/** The account of the run: what is billed within it is added there. */
export function meterOf(context: RunContext): UsageMeter | undefined {
  return ScopedContext.privateOf(context)?.meter;
}

/** The tenant that the run belongs to. */
export function tenantOf(context: RunContext): string | undefined {
  return ScopedContext.privateOf(context)?.tenantId;
}

function scoped(facts: RunContext, secrets: Private): RunContext {
  return new ScopedContext(facts, secrets) as unknown as RunContext;
}
