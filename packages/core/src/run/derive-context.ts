import type { EventBus } from "../events/event-bus.ts";
import type { ApiKeys } from "../keys/api-keys.ts";
import type { Logger } from "../log/logger.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { readSlot, withSlot } from "./context-slot.ts";
import type { RunContext } from "./run-context.ts";
import type { RunEvents } from "./run-events.ts";
import type { Run } from "./run.ts";
import type { UsageMeter } from "./usage-meter.ts";

/**
 * The usage meter, deadline and session storage of a part of a run, such as a delegation or a workflow step: the child
 * runs that it starts get these in place of the run's own.
 */
export type RunScope = {
  /** A meter whose parent is the meter of the run. */
  readonly meter: UsageMeter;
  readonly endsAt?: number | undefined;
  readonly ephemeralStorage?: StorageDriver | undefined;
};

/** Values that a child run takes from the context of its parent run where its own options have none. */
export type Inheritance = {
  readonly parentRunId: string | undefined;
  readonly userId: string | undefined;
  readonly verified: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tenantId: string | undefined;
  readonly apiKeys: ApiKeys;
  readonly fromOutside: boolean;
  readonly meter: UsageMeter | undefined;
  /** The event buses of the parent run and of all runs above it. */
  readonly buses: readonly EventBus<RunEvents>[];
  readonly logger: Logger | undefined;
  readonly endsAt: number;
  readonly ephemeralStorage: StorageDriver | undefined;
};

/** The private slot of a context: the run that it leads to, and the scope of a part of that run. */
type Slot = { readonly run: Run; readonly scope?: RunScope };

function slotOf(context: RunContext): Slot | undefined {
  return readSlot(context) as Slot | undefined;
}

/** Returns the run that a context belongs to, or undefined for a context that was copied or made by hand. */
export function runOf(context: RunContext): Run | undefined {
  return slotOf(context)?.run;
}

/**
 * Makes the context of a part of a run, such as a tool call: a copy that leads to the same run and has further facts.
 * Child runs started with it get the meter, deadline and storage of the scope, if one is given.
 */
export function deriveContext<Facts extends object>(
  context: RunContext,
  facts: Facts,
  scope?: RunScope,
): RunContext & Facts {
  const slot = slotOf(context);
  const own = { ...context, ...facts };
  return slot === undefined ? own : withSlot(own, scope === undefined ? slot : { run: slot.run, scope });
}

/**
 * Returns all that a child run inherits from the context of its parent run: the facts in the context and, if the
 * context leads to a run, that run's API keys, meter, deadline and storage. It is built nowhere else.
 */
export function inheritanceOf(context: RunContext): Inheritance {
  const { runId: parentRunId, userId, verified = true, tenantId, metadata } = context;
  const { run, scope } = slotOf(context) ?? {};
  if (run === undefined) return { ...inheritanceWithoutRun, parentRunId, userId, verified, tenantId, metadata };
  const { apiKeys, fromOutside, ephemeralStorage, parentBuses } = run.settings;
  return {
    parentRunId,
    userId,
    verified,
    metadata,
    tenantId,
    apiKeys,
    fromOutside,
    meter: scope?.meter ?? run.meter,
    buses: [run.eventBus, ...parentBuses],
    logger: context.logger,
    endsAt: scope?.endsAt ?? run.endsAt,
    ephemeralStorage: scope?.ephemeralStorage ?? ephemeralStorage,
  };
}

/**
 * The part of an `Inheritance` that only a run can give, for a child run whose `parent` is a context without a run (copied
 * or made by hand), or that has no parent: no API keys, meter, deadline or storage.
 */
export const inheritanceWithoutRun = {
  apiKeys: {},
  fromOutside: false,
  meter: undefined,
  buses: [],
  logger: undefined,
  endsAt: Infinity,
  ephemeralStorage: undefined,
};
