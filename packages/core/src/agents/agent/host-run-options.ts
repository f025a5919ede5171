import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { stringOption, optional, customOption } from "../../base/errors/option-checks.ts";
import { modelOption } from "../../model/model-option.ts";
import { checkModelSettings } from "../../model/model-settings.ts";
import { runLimitsOption } from "../run/run-limits.ts";
import type { RunOpts } from "../run/run-options.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { runToolsOption } from "./agent-tools.ts";

/**
 * Options that a host adds to the run of a request: metadata, limits and model options. The host may also set a model,
 * instructions and tools instead of the agent's own.
 */
export type HostRunOptions = Pick<RunOpts, "metadata" | "limits" | "modelOptions" | "model" | "instructions" | "tools">;

const table = {
  /** Data of the application, available in the run's context. */
  metadata: optional(customOption<Record<string, unknown>>("an object", isRecord)),
  /** Limits of the run. */
  limits: optional(runLimitsOption),
  modelOptions: optional(checkModelSettings),
  model: optional(modelOption),
  instructions: optional(stringOption),
  tools: optional(runToolsOption),
} satisfies OptionTable<HostRunOptions>;

/**
 * Checks the value that the option `runOptions` of a transport returned. Wrong options are `invalid_config`, because
 * the host made the mistake.
 */
export function readHostRunOptions(options: unknown, path = "runOptions(request)"): HostRunOptions | undefined {
  return options === undefined ? undefined : readOptions(table, options, { path });
}
