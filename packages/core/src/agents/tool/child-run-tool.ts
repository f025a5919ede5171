import type { RunSteps } from "../run/run-steps.ts";
import type { ToolDef } from "../run/tool.ts";
import { readProperty } from "../../base/util/read-property.ts";

/** The key of the method that marks a tool as a `ChildRunTool`. */
export const onStoredResult = Symbol.for("troupe.onStoredResult");

/**
 * A tool whose calls are child runs that do their work in steps of the run. An interrupted call is executed again
 * without asking a person, and continues where it stopped. It is not logged as a call with an effect.
 */
export type ChildRunTool = ToolDef & {
  /** Called instead of `execute` if the call's result is stored, with the steps of the call. */
  [onStoredResult](steps: RunSteps): void;
};

/** Returns true if a tool's calls are child runs that have steps of their own. */
export function isChildRunTool(tool: object): tool is ChildRunTool {
  return typeof readProperty(tool, onStoredResult) === "function";
}
