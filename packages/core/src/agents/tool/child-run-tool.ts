import type { Journal } from "../journal/journal.ts";
import type { ToolDef } from "../run/tool.ts";
import { readProperty } from "../../base/util/read-property.ts";

/** The key of the method that marks a tool as a `ChildRunTool`. */
export const onStoredResult = Symbol.for("troupe.onStoredResult");

/**
 * A tool whose calls are child runs, which keep their steps in the journal of a durable run. A call that was cut off is
 * executed again without being asked about, and goes on where it was: it is not logged as a call with an effect.
 */
export type ChildRunTool = ToolDef & {
  /** Called in place of `execute` when the result of the call is stored, with the journal of the call. */
  [onStoredResult](journal: Journal): void;
};

/** Tells if the calls of a tool are child runs that keep their own steps. */
export function isChildRunTool(tool: object): tool is ChildRunTool {
  return typeof readProperty(tool, onStoredResult) === "function";
}
