import type { ToolEffect } from "../../base/message/tool-call.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { Runnable } from "./runnable.ts";

/** The key of a property that is true for runnables which do their work in steps of their parent run. */
export const keepsSteps = Symbol.for("troupe.keepsJournal");

/** Returns the effect of a run of a runnable without steps of its own, which is one call; undefined for others. */
export function effectOfRunnable(runnable: Runnable): ToolEffect | undefined {
  if (readProperty(runnable, keepsSteps) === true) return undefined;
  const effect = readProperty(runnable, "effect");
  return effect === "pure" || effect === "idempotent" ? effect : "once";
}
