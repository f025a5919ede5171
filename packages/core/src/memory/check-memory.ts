import { wrongOption } from "../errors/read-options.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import { isCount } from "../storage/stored-record.ts";

/** Refuses options that do not exist: one without an effect is a mistake. */
export function refuseUnknownOptions(options: unknown, label: string, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw wrongOption(`The options of ${label}`, "an object", options);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TroupeError(
    "invalid_config",
    `${label} has no option ${JSON.stringify(unknown.slice(0, 64))}: its options are ${known.join(", ")}.`,
  );
}

/** Takes `true` or `false`. */
export function checkFlag(value: unknown, option: string): boolean {
  if (typeof value === "boolean") return value;
  throw wrongOption(option, "true or false", value);
}

/** Takes a model, or none. */
export function checkModel(value: ModelProvider | undefined, option: string): ModelProvider | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "object" && value !== null && typeof value.generate === "function") return value;
  throw wrongOption(option, "a ModelProvider", value);
}

/** Takes the number of a turn, 0, or nothing. */
export function checkThrough(through: unknown, option = "through"): void {
  if (through === undefined || isCount(through)) return;
  throw new TroupeError("invalid_value", `${option} must be the number of a turn, or 0.`);
}
