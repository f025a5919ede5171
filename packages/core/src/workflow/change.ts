import { TroupeError } from "../errors/troupe-error.ts";
import type { RunOutput } from "../run/run-output.ts";
import { cleanJson } from "../util/clean-json.ts";
import { equalJson } from "../util/equal-json.ts";
import { isRecord, kindNames } from "./state-form.ts";
import type { StateForm, StateRecord } from "./state-form.ts";

/** What a step came to: the keys it set, and what it said if it spoke. */
export type Change = { readonly partial: StateRecord; readonly text?: string };

/** The change of a step that changes nothing. */
export const noChange: Change = { partial: {} };

/** Both, the one after the other. */
export function addChange(earlier: Change, later: Change): Change {
  const text = later.text ?? earlier.text;
  return { partial: { ...earlier.partial, ...later.partial }, ...(text !== undefined && { text }) };
}

/** The change that a function asks for with what it returns: a copy, for what was returned stays the function's. */
export function changeByFunction(returned: unknown): Change {
  if (returned === undefined) return noChange;
  if (!isRecord(returned)) {
    throw wrongValue("run() must return an object with a part of the state, or nothing");
  }
  const refusal = (place: string, problem: string) =>
    wrongValue(`what run() returned${place && ` at ${place}`} ${problem}`);
  return { partial: cleanJson(returned, refusal) as StateRecord };
}

/** The change that an agent's answer makes: its text is said, and stands in the state where there is a place for it. */
export function changeByAnswer({ text, structured }: RunOutput, name: string, form: StateForm): Change {
  if (!form.has(name)) return { partial: {}, text };
  const kind = form.kindAt(name);
  const answer = kind === "string" ? text : (structured ?? text);
  if (!form.fits(name, answer)) {
    throw wrongValue(
      `its answer is to be ${kindNames[kind]}, as the initial state has it: give its agent a structuredOutput`,
    );
  }
  // What a model says may end in half a character, and is no mistake of anybody here.
  if (typeof answer === "string") return { partial: { [name]: answer.toWellFormed() }, text };
  const refusal = (place: string, problem: string) =>
    wrongValue(`its structured answer${place && ` at ${place}`} ${problem}`);
  return { partial: { [name]: cleanJson(answer, refusal) }, text };
}

/** What steps side by side came to, in their order. A key that two of them set to different values is an error. */
export function mergeChanges(changes: readonly Change[], names: readonly string[]): Change {
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
  const sentence = `its steps ${names} set ${JSON.stringify(key)} to different values: let each set a key of its own`;
  return new TroupeError("invalid_value", `${sentence}.`, { fields: { key } });
}

function wrongValue(sentence: string): TroupeError {
  return new TroupeError("invalid_value", `${sentence}.`);
}
