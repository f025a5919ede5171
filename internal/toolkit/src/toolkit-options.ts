import { TroupeError } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import { integerOption, networkOptionTable, optional, timeoutOption } from "@troupe/core/kit";
import type { OptionCheck } from "@troupe/core/kit";

/** Checks of the options that every toolkit has: the time limit of a tool call, and the network options. */
export const toolkitChecks = { timeoutMs: optional(timeoutOption, 15_000), ...networkOptionTable };

/** Makes the check of `maxResults`: an integer from 1 to `most`. */
export function maxResultsOption(most: number, usual: number): OptionCheck<number> {
  return optional(integerOption(1, most), usual);
}

const longestTimerMs = 2 ** 31 - 1;

/**
 * Returns the `timeoutMs` of a tool: a little longer than the time limit of its requests, so that the toolkit's own
 * timeout error is reported.
 */
export function toolTimeoutMs(timeoutMs: number): number {
  return Math.min(timeoutMs + 5000, longestTimerMs);
}

/** A tool of a toolkit: the option that enables it, the value of the option, and the function that makes the tool. */
export type ToolSwitch = { option: string; isEnabled: boolean; make: () => ToolDef };

/** Makes the enabled tools. Throws `invalid_config` if all are disabled, because the toolkit would do nothing. */
export function enabledTools(toolkit: string, switches: readonly ToolSwitch[]): readonly ToolDef[] {
  const tools = switches.filter(({ isEnabled }) => isEnabled).map(({ make }) => make());
  if (tools.length > 0) return tools;
  const names = switches.map(({ option }) => option).join(" and ");
  const verb = switches.length === 1 ? "is" : "are";
  const message = `${toolkit} has no tools, because ${names} ${verb} false. Leave one of them out.`;
  throw new TroupeError("invalid_config", message);
}
