import type { EventBus } from "../../base/events/event-bus.ts";
import type { ApiKeys } from "../../model/keys/api-keys.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { readSlot, withSlot } from "./context-slot.ts";
import type { RunContext } from "./run-context.ts";
import type { RunEvents } from "./run-events.ts";
import { plainSteps } from "./run-steps.ts";
import type { RunSteps } from "./run-steps.ts";
import type { Run } from "./run.ts";
import type { UsageMeter } from "./usage-meter.ts";

/**
 * The usage meter, deadline, session storage and steps of a part of a run, such as a tool call or a workflow step.
 * Child runs that this part starts receive these values instead of the run's own.
 */
export type RunScope = {
  /** A meter whose usage also counts for the run. */
  readonly meter?: UsageMeter | undefined;
  readonly endsAt?: number | undefined;
  readonly ephemeralStorage?: StorageDriver | undefined;
  /** The steps of this part. A child run's steps belong to the run only if the child run starts within such a part. */
  readonly steps?: RunSteps | undefined;
};

/** Values that a child run inherits from the context of its parent run if its own options lack them. */
export type Inheritance = {
  readonly parentRunId: string | undefined;
  readonly delegationId: string | undefined;
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
  /** The journal steps of the child run, which are part of its parent run's journal. */
  readonly steps: RunSteps;
  readonly telemetry: Telemetry | undefined;
};

/**
 * The private slot of a context: the run of the context and, if the context belongs to a part of the run, its scope.
 */
type Slot = { readonly run: Run; readonly scope?: RunScope };

function slotOf(context: RunContext): Slot | undefined {
  return readSlot(context) as Slot | undefined;
}

/** Returns the run that a context belongs to; undefined for a context that was copied or made by hand. */
export function runOfContext(context: RunContext): Run | undefined {
  return slotOf(context)?.run;
}

/**
 * Returns the journal steps of the part of a run that a context belongs to; for the context of a whole run,
 * `plainSteps`, which record nothing.
 */
export function stepsOf(context: RunContext): RunSteps {
  return slotOf(context)?.scope?.steps ?? plainSteps;
}

/** Returns the telemetry of the run that a context belongs to; undefined for most runs. */
export function telemetryOf(context: RunContext): Telemetry | undefined {
  return slotOf(context)?.run.settings.telemetry;
}

/**
 * Returns the meter that counts the usage of child runs started with a context; undefined for a context without a run.
 */
export function meterOf(context: RunContext): UsageMeter | undefined {
  const slot = slotOf(context);
  return slot?.scope?.meter ?? slot?.run.meter;
}

/**
 * Makes the context of a part of a run, such as a tool call: a copy that belongs to the same run and has further facts.
 * Child runs started with it receive the values of the scope, and otherwise the values of the given context.
 */
export function deriveContext<Facts extends object>(
  context: RunContext,
  facts: Facts,
  scope?: RunScope,
): RunContext & Facts {
  const slot = slotOf(context);
  const own = { ...context, ...facts };
  if (slot === undefined) return own;
  return withSlot(own, scope === undefined ? slot : { run: slot.run, scope: { ...slot.scope, ...scope } });
}

/**
 * Returns all values that a child run inherits from its parent's context. These are the context's facts and, if the
 * context belongs to a run, that run's API keys, meter, deadline and storage. Also returns the steps of the next child
 * run, so call this function once for each child run. No other function makes an `Inheritance`.
 */
export function inheritanceOf(context: RunContext): Inheritance {
  const { runId: parentRunId, toolCallId: delegationId, userId, verified = true, tenantId, metadata } = context;
  const { run, scope } = slotOf(context) ?? {};
  const facts = { parentRunId, delegationId, userId, verified, tenantId, metadata };
  if (run === undefined) return { ...inheritanceWithoutRun, ...facts };
  const { apiKeys, fromOutside, parentBuses, telemetry } = run.settings;
  return {
    ...facts,
    apiKeys,
    fromOutside,
    buses: [run.eventBus, ...parentBuses],
    logger: context.logger,
    telemetry,
    ...inheritanceOfPart(run, scope),
  };
}

function inheritanceOfPart(
  run: Run,
  scope: RunScope = {},
): Pick<Inheritance, "meter" | "endsAt" | "ephemeralStorage" | "steps"> {
  return {
    meter: scope.meter ?? run.meter,
    endsAt: scope.endsAt ?? run.endsAt,
    ephemeralStorage: scope.ephemeralStorage ?? run.settings.ephemeralStorage,
    steps: scope.steps?.child() ?? plainSteps,
  };
}

/**
 * The values of an `Inheritance` that come from the parent's run, for a run that has no such run: it has no `parent`,
 * or its `parent` was copied or made by hand. Its steps are not recorded, and it has no API keys, meter, deadline or
 * storage.
 */
export const inheritanceWithoutRun = {
  // All runs without API keys share this object.
  apiKeys: Object.freeze({}),
  fromOutside: false,
  meter: undefined,
  buses: [],
  logger: undefined,
  endsAt: Infinity,
  ephemeralStorage: undefined,
  steps: plainSteps,
  telemetry: undefined,
};
