import type { RunContext } from "../run/run-context.ts";
import type { ToolDef } from "../run/tool.ts";
import { readProperty } from "../util/read-property.ts";

/** The key of the method that marks a tool as a `ChildRunTool`. */
export const onStoredResult = Symbol.for("troupe.onStoredResult");

/**
 * A tool whose calls are child runs, which keep their steps in the journal of a durable run. A call that was cut off is
 * executed again without being asked about, and goes on where it was.
 */
export type ChildRunTool = ToolDef & {
  /**
   * Called in place of `execute` when the result of the call is in the journal, with the context of the call: tells the run
   * of what it needs beside the result.
   */
  [onStoredResult](context: RunContext): void;
};

/** Tells if the calls of a tool are child runs that keep their own steps. */
export function isChildRunTool(tool: object): tool is ChildRunTool {
  return typeof readProperty(tool, onStoredResult) === "function";
}
