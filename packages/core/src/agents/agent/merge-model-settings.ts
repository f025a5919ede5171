import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ModelSettings, VendorOptions } from "../../model/model-config.ts";
import { isForcedChoice, requireChosenTool } from "../../model/model-settings.ts";
import { getOwn } from "../../base/util/get-own.ts";
import type { RunSettings } from "../run/run-options.ts";
import type { ToolDef } from "../run/tool.ts";
import type { AgentConfig } from "./agent-config.ts";
import { runToolsOption } from "./agent-tools.ts";
import { checkAdditions } from "./run-additions.ts";

/**
 * Merges the settings of a run's model calls. For each setting, the first value that is given counts, in this order:
 * the options of the run, `modelOptions` of the agent or team, then the agent's `temperature` and `reasoning`. Vendor
 * options are also merged one by one.
 */
export function mergeModelSettings(
  { temperature, reasoning, modelOptions = {} }: Pick<AgentConfig, "temperature" | "reasoning" | "modelOptions">,
  ofRun: ModelSettings = {},
): ModelSettings {
  const merged = { ...given({ temperature, reasoning }), ...given(modelOptions), ...given(ofRun) };
  if (modelOptions.vendor === undefined || ofRun.vendor === undefined) return merged;
  return { ...merged, vendor: mergeVendorOptions(modelOptions.vendor, ofRun.vendor) };
}

function mergeVendorOptions(configured: VendorOptions, ofRun: VendorOptions): VendorOptions {
  const ids = [...new Set([...Object.keys(configured), ...Object.keys(ofRun)])];
  return Object.fromEntries(ids.map((id) => [id, { ...getOwn(configured, id), ...getOwn(ofRun, id) }]));
}

function given(settings: ModelSettings): ModelSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Throws if the tools or model settings of a run are invalid or can have no effect in the agent. */
export function checkRunSettings(config: AgentConfig, { modelOptions, tools, additions }: RunSettings): void {
  if (tools !== undefined) runToolsOption(tools, "tools", { code: "invalid_request" });
  const own = tools === undefined ? config : { ...config, tools };
  const added = additions === undefined ? [] : checkAdditions(own, additions);
  if (modelOptions === undefined) return;
  const isFixed = added.length > 0 && typeof own.tools !== "function";
  const all = isFixed ? { ...own, tools: [...((own.tools ?? []) as readonly ToolDef[]), ...added] } : own;
  checkSettingsFit(all, modelOptions, "invalid_request");
}

/**
 * Throws for model settings that can have no effect in an agent. These are `responseFormat` beside `structuredOutput`,
 * a `toolChoice` of an unknown tool, and a forced tool call with `maxToolRoundtrips` 0. Tools that a source or a
 * function provides are known only within a run, where the settings are checked again.
 */
export function checkSettingsFit(
  { structuredOutput, tools = [], maxToolRoundtrips }: AgentConfig,
  { responseFormat, toolChoice }: ModelSettings,
  code: "invalid_config" | "invalid_request" = "invalid_config",
): void {
  if (responseFormat !== undefined && structuredOutput !== undefined) {
    throw new TroupeError(
      "invalid_config",
      "modelOptions.responseFormat cannot stand beside structuredOutput, which sets the format of the answer. Leave one of them out.",
    );
  }
  if (!isForcedChoice(toolChoice)) return;
  if (maxToolRoundtrips === 0) {
    const problem =
      "modelOptions.toolChoice has no effect with maxToolRoundtrips 0, which lets the model call no tool.";
    throw new TroupeError(code, `${problem} Leave one of them out.`);
  }
  if (typeof tools === "function" || tools.some((tool) => "getTools" in tool)) return;
  const names = tools.map((tool) => ("name" in tool ? tool.name : ""));
  requireChosenTool(toolChoice, names, { at: "modelOptions.toolChoice", code });
}
