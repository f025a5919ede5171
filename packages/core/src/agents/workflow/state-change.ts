import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunOutput } from "../run/run-output.ts";
import { cleanJson } from "../../base/util/clean-json.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { StateRecord } from "./state-shape.ts";

/** The effect of a workflow step: the state keys that it set, and the answer's text if an agent ran in it. */
export type StateChange = { readonly partial: StateRecord; readonly text?: string };

/** The state change of a step that sets nothing, such as a condition that is false. */
export const noStateChange: StateChange = { partial: {} };

/** Combines the state changes of two successive steps. For each key the later value is used. */
export function combineChanges(earlier: StateChange, later: StateChange): StateChange {
  const text = later.text ?? earlier.text;
  return { partial: { ...earlier.partial, ...later.partial }, ...(text !== undefined && { text }) };
}

/**
 * Makes the state change of a function step from the function's return value. The value is copied, because the function
 * may keep and modify it. `undefined` changes nothing; any other value that is not a JSON object is rejected as
 * `invalid_value`.
 */
export function changeFromFunction(returned: unknown): StateChange {
  if (returned === undefined) return noStateChange;
  if (!isRecord(returned)) {
    throw wrongValue("run() must return an object with keys of the state, or undefined");
  }
  const refusal = (place: string, problem: string) =>
    wrongValue(`the return value of run()${place && ` at ${place}`} ${problem}`);
  return { partial: cleanJson(returned, refusal) as StateRecord };
}

/**
 * Makes a state change from an agent's answer. The key with the step's name is set to the structured output or, without
 * it, the text.
 */
export function changeFromAnswer({ text, structured }: RunOutput, name: string): StateChange {
  const refusal = (place: string, problem: string) =>
    wrongValue(`its structured answer${place && ` at ${place}`} ${problem}`);
  // A model's text may end in half a surrogate pair, which cannot be stored and is replaced.
  const answer = structured === undefined || structured === null ? text.toWellFormed() : cleanJson(structured, refusal);
  return { partial: { [name]: answer }, text };
}

/**
 * Merges the changes of parallel steps, in order. Their texts are joined with blank lines between them. If two steps
 * set one key to different values, throws `invalid_value`.
 */
export function mergeParallelChanges(changes: readonly StateChange[], names: readonly string[]): StateChange {
  const writers = new Map<string, { name: string | undefined; value: unknown }>();
  for (const [index, { partial }] of changes.entries()) {
    for (const [key, value] of Object.entries(partial)) {
      const other = writers.get(key);
      if (other !== undefined && !equalJson(other.value, value)) throw conflict(key, other.name, names[index]);
      writers.set(key, { name: names[index], value });
    }
  }
  const merged = changes.reduce(combineChanges, noStateChange);
  return { ...merged, ...joinTexts(changes.map(({ text }) => text)) };
}

/** Joins the texts of agents that ran beside each other, with blank lines between them. */
export function joinTexts(texts: readonly (string | undefined)[]): Pick<StateChange, "text"> {
  const given = texts.filter((text) => text !== undefined);
  return given.length === 0 ? {} : { text: given.join("\n\n") };
}

/** Makes the value of a `forEach` item from its function's return value: JSON, with null for `undefined`. */
export function itemFromFunction(returned: unknown): unknown {
  const refusal = (place: string, problem: string) =>
    wrongValue(`the return value of run()${place && ` at ${place}`} ${problem}`);
  return returned === undefined ? null : cleanJson(returned, refusal);
}

/** Makes the state change of a workflow step from what its `write` returned. */
export function changeFromWrite(returned: unknown): StateChange {
  if (returned === undefined) return noStateChange;
  if (!isRecord(returned)) throw wrongValue("write() must return an object with keys of the state, or undefined");
  const refusal = (place: string, problem: string) =>
    wrongValue(`the return value of write()${place && ` at ${place}`} ${problem}`);
  return { partial: cleanJson(returned, refusal) as StateRecord };
}

function conflict(key: string, ...writers: (string | undefined)[]): TroupeError {
  const names = writers.map((name) => JSON.stringify(name)).join(" and ");
  const sentence = `its steps ${names} set ${JSON.stringify(key)} to different values: let each step set its own key`;
  return new TroupeError("invalid_value", `${sentence}.`, { fields: { key } });
}

function wrongValue(sentence: string): TroupeError {
  return new TroupeError("invalid_value", `${sentence}.`);
}
