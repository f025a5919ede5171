import { TroupeError } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import { integer, networkOptions, optional, timeoutMilliseconds } from "@troupe/core/kit";
import type { OptionCheck } from "@troupe/core/kit";

/** Checks of the options that every toolkit has: the time limit of a tool call, and those of the network. */
export const toolkitChecks = { timeoutMs: optional(timeoutMilliseconds, 15_000), ...networkOptions };

/** Makes the check of `maxResults`: an integer from 1 to `most`. */
export function maxResultsOption(most: number, usual: number): OptionCheck<number> {
  return optional(integer(1, most), usual);
}

const longestTimerMs = 2 ** 31 - 1;

/** Returns the `timeoutMs` of a tool whose own time limit is this long: a little longer, so that its own error is told. */
export function toolTimeoutMs(timeoutMs: number): number {
  return Math.min(timeoutMs + 5000, longestTimerMs);
}

/** A tool of a toolkit: the option that turns it on or off, its value, and the function that makes the tool. */
export type ToolSwitch = { option: string; isEnabled: boolean; make: () => ToolDef };

/** Makes the tools that are enabled. Throws `invalid_config` when none is, because the toolkit would do nothing. */
export function enabledTools(toolkit: string, switches: readonly ToolSwitch[]): readonly ToolDef[] {
  const tools = switches.filter(({ isEnabled }) => isEnabled).map(({ make }) => make());
  if (tools.length > 0) return tools;
  const names = switches.map(({ option }) => option).join(" and ");
  const verb = switches.length === 1 ? "is" : "are";
  const message = `${toolkit} has no tools, because ${names} ${verb} false. Leave one of them out.`;
  throw new TroupeError("invalid_config", message);
}
