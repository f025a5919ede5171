import { oneOf } from "../../base/errors/option-checks.ts";
import { wrongOption } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { UnknownRecord } from "../../base/util/is-record.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { Runnable } from "../run/runnable.ts";
import type { CheckedAgentStep, CheckedStep } from "./checked-step.ts";

/** An unchecked step: its fields and name, its path in the configuration, and the reader of its nested steps. */
export type UncheckedStep = {
  readonly fields: UnknownRecord;
  readonly name: string;
  readonly path: string;
  /** Checks and returns the nested steps in a field of the step. */
  readonly nested: (value: unknown, field: string) => CheckedStep[];
};

/** Checks the option `effect` of a step that calls a function. */
export const checkEffect = oneOf("pure", "idempotent", "once");

/** Reads a step that runs an agent. */
export function readAgentStep({ fields, name, path }: UncheckedStep): CheckedAgentStep {
  const { agent, inputFrom } = fields;
  if (!isRunnable(agent)) {
    throw wrongOption(`${path}.agent`, "an agent, a team or another Runnable (of a workflow: its asRunnable())", agent);
  }
  if (inputFrom === undefined) return { kind: "agent", name, agent };
  checkFunction(inputFrom, `${path}.inputFrom`);
  return { kind: "agent", name, agent, inputFrom };
}

/**
 * Returns true for a runnable. A `Workflow` also has a method `run`, but with other parameters, and it has no `kind`.
 */
export function isRunnable(value: unknown): value is Runnable {
  const hasMethods = ["run", "stream"].every((method) => typeof readProperty(value, method) === "function");
  return hasMethods && typeof readProperty(value, "kind") === "string";
}

/** Throws `invalid_config` for a field that is not a function. */
export function checkFunction(value: unknown, path: string): asserts value is (...args: unknown[]) => never {
  if (typeof value !== "function") throw wrongOption(path, "a function", value);
}

/** Makes the error of a wrong step. */
export function wrongConfig(sentence: string): TroupeError {
  return new TroupeError("invalid_config", sentence);
}
