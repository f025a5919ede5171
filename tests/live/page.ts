import type { TokenUsage } from "@troupe/core";
import { features, neededFeatures } from "./features.ts";
import type { FeatureName, Sights } from "./features.ts";

/** US dollars for a million input tokens and for a million output tokens. */
export type Prices = { readonly input: number; readonly output: number };

/** A model that is asked, by the name of its vendor. */
export type Asked = { readonly vendor: string; readonly modelId: string };

const names = Object.keys(features) as FeatureName[];

/** Reads prices such as `3/15`: US dollars for a million input tokens and for a million output tokens. */
export function readPrices(text: string): Prices {
  const [, input, output] = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (input === undefined || output === undefined) {
    throw new Error(`--prices must be two numbers such as 3/15, got ${text}.`);
  }
  return { input: Number(input), output: Number(output) };
}

/** Returns the most tokens that all features of one model take. */
export function mostTokens(): TokenUsage {
  const sum = (field: "inputTokens" | "outputTokens") =>
    names.reduce((total, name) => total + features[name][field], 0);
  const [promptTokens, completionTokens] = [sum("inputTokens"), sum("outputTokens")];
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}

/** Returns what is said before the first call: the models, the most tokens, and what they cost at most. */
export function toPlan(asked: readonly Asked[], missing: readonly string[], prices: Prices): string {
  const most = mostTokens();
  const each = `at most ${most.promptTokens} input and ${most.completionTokens} output tokens`;
  const cost = costOf(most, prices) * asked.length;
  return [
    ...asked.map(({ vendor, modelId }) => `${vendor}: ${modelId}, ${each}`),
    ...(missing.length > 0 ? [`Without a key, and not asked: ${missing.join(", ")}.`] : []),
    `Together at most ${toDollars(cost)}, at ${prices.input} and ${prices.output} USD per million tokens (--prices).`,
  ].join("\n");
}

/** Returns the page of results in Markdown: each feature with the models that have shown it, tokens, costs and errors. */
export function toPage(results: readonly (Asked & Sights)[], missing: readonly string[], prices: Prices): string {
  const titles = results.map(({ vendor, modelId }) => `${vendor} ${modelId}`);
  const mark = (name: FeatureName, { features: seen }: Sights) =>
    seen.get(name)?.isSeen === true ? "seen" : "not seen";
  const rows = [
    ["", ...titles],
    ["-", ...titles.map(() => "-")],
    ...names.map((name) => [name, ...results.map((result) => mark(name, result))]),
    ["input tokens", ...results.map(({ usage }) => String(usage.promptTokens))],
    ["output tokens", ...results.map(({ usage }) => String(usage.completionTokens))],
    ["cost", ...results.map(({ usage }) => toDollars(costOf(usage, prices)))],
  ];
  const errors = results.flatMap(({ vendor, features: seen }) =>
    [...seen].flatMap(([name, { error }]) => (error === undefined ? [] : [`- ${vendor}, ${name}: ${error}`])),
  );
  return [
    "# Vendors met with a key",
    "",
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
    ...(errors.length > 0 ? ["", "Errors:", "", ...errors] : []),
    ...(missing.length > 0 ? ["", `Not met, for want of a key: ${missing.join(", ")}.`] : []),
    "",
  ].join("\n");
}

/** Returns the faults of results: features that every model has, and that a model has not shown. */
export function faultsOf(results: readonly (Asked & Sights)[]): string[] {
  return results.flatMap(({ vendor, features: seen }) =>
    neededFeatures.filter((name) => seen.get(name)?.isSeen !== true).map((name) => `${vendor}: ${name}`),
  );
}

function costOf({ promptTokens, completionTokens }: TokenUsage, { input, output }: Prices): number {
  return (promptTokens * input + completionTokens * output) / 1e6;
}

function toDollars(cost: number): string {
  return `${cost.toFixed(4)} USD`;
}
