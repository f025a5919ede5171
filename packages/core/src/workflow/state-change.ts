import { TroupeError } from "../errors/troupe-error.ts";
import type { RunOutput } from "../run/run-output.ts";
import { cleanJson } from "../util/clean-json.ts";
import { equalJson } from "../util/equal-json.ts";
import { isRecord } from "../util/is-record.ts";
import { kindNames } from "./state-shape.ts";
import type { StateShape, StateRecord } from "./state-shape.ts";

/** The effect of a step: the keys that it set, and the text of its agent if it has one. */
export type StateChange = { readonly partial: StateRecord; readonly text?: string };

/** The change of a step without an effect. */
export const noChange: StateChange = { partial: {} };

/** Combines two changes; the later one wins. */
export function addChange(earlier: StateChange, later: StateChange): StateChange {
  const text = later.text ?? earlier.text;
  return { partial: { ...earlier.partial, ...later.partial }, ...(text !== undefined && { text }) };
}

/** Makes a change of a function's return value. It is copied: the function may keep and modify the value. */
export function changeByFunction(returned: unknown): StateChange {
  if (returned === undefined) return noChange;
  if (!isRecord(returned)) {
    throw wrongValue("run() must return an object with keys of the state, or undefined");
  }
  const refusal = (place: string, problem: string) =>
    wrongValue(`the return value of run()${place && ` at ${place}`} ${problem}`);
  return { partial: cleanJson(returned, refusal) as StateRecord };
}

/** Makes a change of an agent's answer. The answer is written to the state when the state has a key of the step's name. */
export function changeByAnswer({ text, structured }: RunOutput, name: string, shape: StateShape): StateChange {
  if (!shape.has(name)) return { partial: {}, text };
  const kind = shape.kindAt(name);
  const answer = kind === "string" ? text : (structured ?? text);
  if (!shape.fits(name, answer)) {
    throw wrongValue(
      `its answer must be ${kindNames[kind]}, like the value in the initial state: give its agent a structuredOutput`,
    );
  }
  // A model's text may end in half a surrogate pair, which cannot be stored.
  if (typeof answer === "string") return { partial: { [name]: answer.toWellFormed() }, text };
  const refusal = (place: string, problem: string) =>
    wrongValue(`its structured answer${place && ` at ${place}`} ${problem}`);
  return { partial: { [name]: cleanJson(answer, refusal) }, text };
}

/** Merges the changes of parallel steps, in their order. A key that two of them set to different values is an error. */
export function mergeChanges(changes: readonly StateChange[], names: readonly string[]): StateChange {
  const writers = new Map<string, { name: string | undefined; value: unknown }>();
  for (const [index, { partial }] of changes.entries()) {
    for (const [key, value] of Object.entries(partial)) {
      const other = writers.get(key);
      if (other !== undefined && !equalJson(other.value, value)) throw conflict(key, other.name, names[index]);
      writers.set(key, { name: names[index], value });
    }
  }
  return changes.reduce(addChange, noChange);
}

function conflict(key: string, ...writers: (string | undefined)[]): TroupeError {
  const names = writers.map((name) => JSON.stringify(name)).join(" and ");
  const sentence = `its steps ${names} set ${JSON.stringify(key)} to different values: let each step set its own key`;
  return new TroupeError("invalid_value", `${sentence}.`, { fields: { key } });
}

function wrongValue(sentence: string): TroupeError {
  return new TroupeError("invalid_value", `${sentence}.`);
}
