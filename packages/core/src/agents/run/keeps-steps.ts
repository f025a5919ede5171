import type { ToolEffect } from "../../base/message/tool-call.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { Runnable } from "./runnable.ts";

/** The key of a property that is true for runnables that do their work in steps of their parent run. */
export const keepsSteps = Symbol.for("troupe.keepsJournal");

/**
 * Returns the `effect` of running a runnable that has no journal steps of its own, because a durable run treats its
 * whole run as one call. Returns undefined for other runnables.
 */
export function effectOfRunnable(runnable: Runnable): ToolEffect | undefined {
  if (readProperty(runnable, keepsSteps) === true) return undefined;
  const effect = readProperty(runnable, "effect");
  return effect === "pure" || effect === "idempotent" ? effect : "once";
}
