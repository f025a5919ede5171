import type { RunOpts } from "@troupe/core";
import {
  anyString,
  checkModelSettings,
  modelOption,
  optional,
  readOptions,
  runLimitsOption,
  runToolsOption,
  satisfying,
} from "@troupe/core/adapter";
import type { OptionTable } from "@troupe/core/adapter";
import type { Request } from "express";

/**
 * Options that the host gives to a run: metadata for its tools and hooks, limits, options of its model calls, and a model,
 * instructions and tools in place of the agent's own.
 */
export type HostRunOptions = Pick<RunOpts, "metadata" | "limits" | "modelOptions" | "model" | "instructions" | "tools">;

/**
 * The router's option `runOptions`: returns the options of the run that a request asks for. Called behind the middleware,
 * before the body is read. An error that it throws is the answer.
 */
export type ReadRunOptions = (request: Request) => HostRunOptions | undefined | Promise<HostRunOptions | undefined>;

const table = {
  metadata: optional(
    satisfying<Record<string, unknown>>("an object", (value) => {
      return typeof value === "object" && value !== null && !Array.isArray(value);
    }),
  ),
  limits: optional(runLimitsOption),
  modelOptions: optional(checkModelSettings),
  model: optional(modelOption),
  instructions: optional(anyString),
  tools: optional(runToolsOption),
} satisfies OptionTable<HostRunOptions>;

/** Returns the options that the host gives to the run of a request. Wrong ones are `invalid_config`: the mistake is the host's. */
export async function readHostRunOptions(
  readRunOptions: ReadRunOptions,
  request: Request,
): Promise<HostRunOptions | undefined> {
  const options: unknown = await readRunOptions(request);
  return options === undefined ? undefined : readOptions(table, options, { path: "runOptions(request)" });
}
