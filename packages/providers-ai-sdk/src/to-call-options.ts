import type { ReasoningConfig, ResponseFormat, ToolChoice, ToolSpec } from "@troupe/core";
import { getOwn, readObject } from "@troupe/core/kit";
import type { ModelCallOptions, ReportRequestOmission } from "@troupe/core/provider";
import { vendorOf } from "./vendors.ts";

/** The context of the conversion of a call's options. */
type OptionContext = {
  readonly providerId: string;
  readonly modelId: string;
  readonly version: string;
  readonly reportOmitted: ReportRequestOmission;
  /** The names of the tools that the history calls. */
  readonly calledTools: readonly string[];
};

/** Converts the options of a model call to call options of the AI SDK, without the prompt, the signal and headers. */
export function toCallOptions(options: ModelCallOptions, context: OptionContext): Record<string, unknown> {
  const { temperature, topP, maxTokens, stop, seed, toolChoice, responseFormat } = options;
  const tools = (options.tools ?? []).length > 0 ? (options.tools ?? []) : context.calledTools.map(toGoneTool);
  const given = {
    temperature,
    topP,
    maxOutputTokens: maxTokens,
    stopSequences: stop === undefined ? undefined : [...stop],
    seed,
    responseFormat: toFormat(responseFormat),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: "function",
        name,
        description,
        inputSchema: parameters,
      })),
      toolChoice: toChoice(toolChoice, context),
    }),
    ...(context.version !== "v3" && { reasoning: toEffort(options.reasoning) }),
    providerOptions: toProviderOptions(options, context),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/**
 * Describes a tool that the history calls but the agent no longer has. It is sent because some packages drop all calls
 * if there are no tools.
 */
function toGoneTool(name: string): ToolSpec {
  return { name, description: "No longer available.", parameters: { type: "object", properties: {} } };
}

function toFormat(format: ResponseFormat | undefined): object | undefined {
  if (format === undefined || format === "text") return undefined;
  if (format === "json") return { type: "json" };
  const { schema, name } = format;
  return { type: "json", schema, ...(name !== undefined && { name }) };
}

function toChoice(choice: ToolChoice = "auto", { providerId, reportOmitted }: OptionContext): object {
  if (choice === "none" && vendorOf(providerId).dropsTools === true) {
    reportOmitted("toolChoice", "the vendor has no such choice, and the package would drop the tools");
    return { type: "auto" };
  }
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.tool };
}

/** Returns the reasoning effort. Without reasoning settings, the vendor's own default applies. */
function toEffort(reasoning: ReasoningConfig | undefined): string | undefined {
  if (reasoning === undefined) return undefined;
  if (!reasoning.enabled) return "none";
  return reasoning.budgetTokens === undefined ? (reasoning.effort ?? "medium") : undefined;
}

/**
 * Returns the options for the vendor's package: the options of every call, the options for settings that the AI SDK
 * lacks, and the caller's own options, which take precedence.
 */
function toProviderOptions(options: ModelCallOptions, context: OptionContext): object | undefined {
  const { providerId } = context;
  const vendor = vendorOf(providerId);
  const { optionsName = providerId } = vendor;
  const own = {
    ...vendor.always,
    ...(options.cacheKey !== undefined && vendor.cacheKey?.(options.cacheKey)),
    ...(vendor.hasStrict === true && toStrict(options)),
    ...toOneCall(options, context),
    ...toReasoning(options.reasoning, context),
    ...readObject(getOwn(options.vendor ?? {}, providerId)),
  };
  return Object.keys(own).length === 0 ? undefined : { [optionsName]: own };
}

/** Marks a response schema as strict only if it is strict, because the vendor rejects other schemas so marked. */
function toStrict({ responseFormat }: ModelCallOptions): object {
  const isSchema = typeof responseFormat === "object";
  return isSchema ? { strictJsonSchema: isStrict(responseFormat.schema) } : {};
}

/** Returns true if all objects in a schema have only named fields, all of them required. */
function isStrict(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return true;
  const { properties, required, additionalProperties } = readObject(schema);
  const names = Object.keys(readObject(properties));
  const isOpen = properties !== undefined && additionalProperties !== false;
  if (isOpen || !names.every((name) => Array.isArray(required) && required.includes(name))) return false;
  return Object.values(schema).every(isStrict);
}

function toOneCall({ parallelToolCalls, tools = [] }: ModelCallOptions, context: OptionContext): object {
  if (parallelToolCalls !== false || tools.length === 0) return {};
  const { oneCall } = vendorOf(context.providerId);
  if (oneCall === undefined)
    context.reportOmitted("parallelToolCalls", "the AI SDK has no such setting for this vendor");
  return oneCall ?? {};
}

function toReasoning(reasoning: ReasoningConfig | undefined, context: OptionContext): object {
  if (reasoning === undefined) return {};
  const { providerId, modelId, version, reportOmitted } = context;
  const { hasEffort = false, shown } = vendorOf(providerId);
  if (reasoning.enabled && reasoning.budgetTokens !== undefined) return toBudget(reasoning.budgetTokens, context);
  const seen = reasoning.enabled ? shown?.(modelId) : undefined;
  return { ...seen, ...(version === "v3" && toOldEffort(reasoning, { hasEffort, reportOmitted })) };
}

function toBudget(tokens: number, { providerId, reportOmitted }: OptionContext): object {
  const { budget } = vendorOf(providerId);
  if (budget === undefined) reportOmitted("reasoning.budgetTokens", "the vendor takes no number of tokens");
  return budget?.(tokens) ?? {};
}

/** Returns the reasoning effort for a model of specification v3, which has no call option for it. */
function toOldEffort(
  reasoning: ReasoningConfig,
  { hasEffort, reportOmitted }: { hasEffort: boolean; reportOmitted: ReportRequestOmission },
): object {
  if (hasEffort) return { reasoningEffort: toEffort(reasoning) };
  reportOmitted("reasoning", "models of specification v3 have no such setting");
  return {};
}
