import type { ToolDef } from "../run/tool.ts";
import { readProperty } from "../../base/util/read-property.ts";

/** The key of the field that marks a tool as a `CitingTool`. */
export const citesSources = Symbol.for("troupe.citesSources");

/** A tool whose passages the model must cite by their numbers. The numbers in every answer of its agent are checked. */
export type CitingTool = ToolDef & { readonly [citesSources]: true };

/** Returns true if the model must cite the passages of a tool. */
export function isCitingTool(tool: object): tool is CitingTool {
  return readProperty(tool, citesSources) === true;
}
