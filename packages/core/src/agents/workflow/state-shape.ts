import { wrongOption } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { cleanJson } from "../../base/util/clean-json.ts";
import { getOwn } from "../../base/util/get-own.ts";
import { isRecord } from "../../base/util/is-record.ts";

/** The state of any workflow: plain JSON values under keys. */
export type StateRecord = Record<string, unknown>;

/**
 * The shape that `initialState` gives to the state of every run: initial values, the keys that an input may set, and
 * the kinds of their values. If the initial state is empty, an input may set any key.
 */
export class StateShape {
  readonly #initial: StateRecord;
  readonly #keys: readonly string[];

  constructor(initialState: unknown) {
    if (!isRecord(initialState)) throw wrongOption("initialState", "an object", initialState);
    this.#keys = Object.keys(initialState);
    this.#initial = cleanJson(initialState, (place, problem) => {
      return new TroupeError("invalid_config", `initialState${place} ${problem}.`);
    }) as StateRecord;
  }

  /** Returns the initial state of a run with this input, as a copy that the run owns. */
  start(input?: unknown): StateRecord {
    const initial = copyState(this.#initial);
    return input === undefined ? initial : { ...initial, ...this.#readInput(input) };
  }

  /** The keys of the initial state, each with the kind of its value. */
  get kinds(): ReadonlyMap<string, StateValueKind> {
    return new Map(this.#keys.map((key) => [key, this.#kindAt(key)]));
  }

  #readInput(input: unknown): StateRecord {
    if (!isRecord(input)) throw refusal("input must be an object; it is merged over the initial state");
    const read = cleanJson(input, (place, problem) => refusal(`input${place} ${problem}`)) as StateRecord;
    for (const [key, value] of Object.entries(read)) this.#checkInput(key, value);
    return read;
  }

  #checkInput(key: string, value: unknown): void {
    if (this.#keys.length === 0) return;
    if (!this.#keys.includes(key)) {
      const shown = JSON.stringify(key.slice(0, shownLength));
      throw refusal(`Unknown key ${shown} in the input. Expected ${this.#keys.join(", ")}`);
    }
    const kind = this.#kindAt(key);
    if (kind !== "open" && kind !== kindOf(value)) throw refusal(`input.${key} must be ${kindNames[kind]}`);
  }

  #kindAt(key: string): StateValueKind {
    return kindOf(getOwn(this.#initial, key));
  }
}

/** Returns a deep copy of a workflow's state, so that a step cannot change the original. */
export function copyState(state: StateRecord): StateRecord {
  return structuredClone(state);
}

/** The maximum number of characters of a state key from a client that an error message repeats. */
const shownLength = 64;

/** The names of the kinds of JSON values, for messages. An initial null allows any kind: `open`. */
const kindNames = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  list: "an array",
  object: "an object",
  open: "anything",
} as const;

/** The kind of a value in a state; `open` stands for any kind. */
export type StateValueKind = keyof typeof kindNames;

function kindOf(value: unknown): StateValueKind {
  if (value === undefined || value === null) return "open";
  return Array.isArray(value) ? "list" : (typeof value as StateValueKind);
}

function refusal(sentence: string): TroupeError {
  return new TroupeError("invalid_request", `${sentence}.`);
}
