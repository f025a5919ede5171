import {
  stringOption,
  arrayOf,
  integerOption,
  nested,
  numberFrom,
  oneOf,
  optional,
} from "../base/errors/option-checks.ts";
import { booleanOption, nonEmptyString, customOption } from "../base/errors/option-checks.ts";
import { joinNames, wrongOption } from "../base/errors/read-options.ts";
import type { OptionCheck, OptionTable } from "../base/errors/read-options.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { ErrorCode } from "../base/errors/troupe-error.ts";
import { cleanJson } from "../base/util/clean-json.ts";
import { isRecord } from "../base/util/is-record.ts";
import type { ModelSettings, ReasoningConfig, ResponseFormat, ToolChoice, VendorOptions } from "./model-config.ts";

/** Option check for `reasoning`, the settings of a model's thinking. */
export const checkReasoning = nested({
  enabled: booleanOption,
  effort: optional(oneOf("none", "minimal", "low", "medium", "high", "xhigh")),
  budgetTokens: optional(integerOption(1)),
} satisfies OptionTable<ReasoningConfig>);

const choices = ["auto", "none", "required"] as const;

/** Option check for `toolChoice`: `auto`, `none`, `required`, or `{ tool }` with the name of a tool. */
export const checkToolChoice: OptionCheck<ToolChoice> = (value, name, where) => {
  if (choices.some((choice) => choice === value)) return value as ToolChoice;
  if (!isRecord(value)) throw wrongOption({ ...where, name }, `${choiceNames} or { tool: name }`, value);
  return checkNamedTool(value, name, where);
};

const choiceNames = choices.map((choice) => JSON.stringify(choice)).join(", ");
const checkNamedTool = nested({ tool: nonEmptyString });
const checkJsonSchemaFormat = nested({
  type: oneOf("json_schema"),
  schema: customOption<Record<string, unknown>>("a JSON schema (an object)", isRecord),
  name: optional(stringOption),
});

const checkResponseFormat: OptionCheck<ResponseFormat> = (value, name, where) => {
  if (value === "text" || value === "json") return value;
  const forms = '"text", "json" or { type: "json_schema", schema }';
  if (!isRecord(value)) throw wrongOption({ ...where, name }, forms, value);
  return checkJsonSchemaFormat(value, name, where);
};

/** Option check for `vendor`: an object of objects of JSON. Returns a copy without undefined members. */
const checkVendorOptions: OptionCheck<VendorOptions> = (value, name, where) => {
  const expected = 'an object with the options of each provider by its id, like { openai: { service_tier: "flex" } }';
  const at = where.path === undefined ? name : `${where.path}.${name}`;
  if (!isRecord(value)) throw wrongOption({ ...where, name }, expected, value);
  for (const [providerId, options] of Object.entries(value)) {
    if (options === undefined || isRecord(options)) continue;
    throw wrongOption({ ...where, name: `${name}.${providerId.slice(0, 64)}` }, "an object", options);
  }
  return cleanJson(value, (place, problem) => {
    return new TroupeError(
      where.code ?? "invalid_config",
      `${at}${place} ${problem}. Vendor options are sent as JSON.`,
    );
  }) as VendorOptions;
};

/**
 * Option check for `modelOptions` of an agent, a team or a run. Returns the given settings. An unknown name is an error
 * that lists the expected names.
 */
export const checkModelSettings = nested({
  temperature: optional(numberFrom(0, 2)),
  topP: optional(numberFrom(0, 1)),
  maxTokens: optional(integerOption(1)),
  stop: optional(arrayOf("strings that are not empty", nonEmptyString)),
  toolChoice: optional(checkToolChoice),
  reasoning: optional(checkReasoning),
  responseFormat: optional(checkResponseFormat),
  seed: optional(customOption<number>("an integer", Number.isSafeInteger)),
  parallelToolCalls: optional(booleanOption),
  vendor: optional(checkVendorOptions),
} satisfies OptionTable<ModelSettings>) as OptionCheck<ModelSettings>;

/** Returns true if a tool choice forces the model to call a tool. */
export function isForcedChoice(choice: ToolChoice | undefined): choice is "required" | { tool: string } {
  return choice !== undefined && choice !== "auto" && choice !== "none";
}

/**
 * Throws if a tool choice forces the model to call a tool that is not among these names, or any tool without names.
 * `at` begins the error's message.
 */
export function requireChosenTool(
  choice: ToolChoice | undefined,
  names: readonly string[],
  { at, code = "invalid_config" }: { at: string; code?: ErrorCode },
): void {
  if (!isForcedChoice(choice)) return;
  if (choice === "required" ? names.length > 0 : names.includes(choice.tool)) return;
  const problem =
    choice === "required" ? "needs a tool" : `names ${JSON.stringify(choice.tool)}, which is not a tool here`;
  const expected = names.length === 0 ? "There are no tools" : `Expected one of ${joinNames(names, "or")}`;
  throw new TroupeError(code, `${at} ${problem}. ${expected}.`);
}
