import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ServedRunOpts } from "../../agents/run/run-options.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { RunRecord } from "./run-record.ts";
import type { StoredEnd } from "./run-store.ts";
import type { LocalRunOptions, RunKeys } from "./run-view.ts";

/** Makes the options of a run from its record and from the options that are not stored. */
export function toRunOpts(
  record: Pick<RunRecord, "runId" | "owner" | "sessionId" | "isNewSession" | "options">,
  given: {
    keys: RunKeys;
    local?: LocalRunOptions | undefined;
    signal?: AbortSignal | undefined;
    telemetry?: Telemetry | undefined;
  },
): ServedRunOpts {
  const { runId, owner, sessionId, isNewSession, options } = record;
  const { keys, local, signal, telemetry } = given;
  const { signal: ofCaller, input: _, ...rest } = local ?? {};
  const signals = [signal, ofCaller].filter((each) => each !== undefined);
  return {
    fromOutside: true,
    ...options,
    ...rest,
    ...keys,
    userId: owner.userId,
    tenantId: owner.tenantId,
    verified: owner.verified,
    runId,
    sessionId,
    isNewSession,
    ...(telemetry !== undefined && { telemetry }),
    signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0],
  };
}

/** Makes the error that ends a run as cancelled. */
export function cancelled(reason: string | undefined): TroupeError {
  return new TroupeError(
    "cancelled",
    reason === undefined ? "The run was cancelled." : `The run was cancelled: ${reason}`,
  );
}

/** Makes the error of a run after too many fruitless attempts. */
export function crashed({ kind, name }: RunRecord): TroupeError {
  const message = `The run of the ${kind} ${JSON.stringify(name)} ended its process, or was left, several times in a row without finishing a step.`;
  return new TroupeError("crashed", message);
}

/** Makes the error of an anonymous caller's run that received no answer in time. */
export function waitedTooLong(): TroupeError {
  const message =
    "Nobody answered the run in the time for which a run without a signed-in user may wait. Begin it again.";
  return new TroupeError("timeout", message);
}

/** Returns the end of a run in the form that its record stores. */
export function endOf({ output, error }: { output: Json; error?: StoredEnd["error"] }): StoredEnd {
  if (error === undefined) return { status: "completed", output };
  return { status: error.code === "cancelled" ? "cancelled" : "error", output, error };
}
