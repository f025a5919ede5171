import { wrongOption } from "../errors/read-options.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { cleanJson } from "../util/clean-json.ts";
import { getOwn } from "../util/get-own.ts";

/** A state as the machinery sees it: plain JSON under keys. */
export type StateRecord = Record<string, unknown>;

/** What `initialState` says of every state: where each run starts, which keys an input may set, and what stands there. */
export class StateForm {
  readonly #initial: StateRecord;
  readonly #keys: readonly string[];

  constructor(initialState: unknown) {
    if (!isRecord(initialState)) throw wrongOption("initialState", "an object", initialState);
    this.#keys = Object.keys(initialState);
    this.#initial = cleanJson(initialState, (place, problem) => {
      return new TroupeError("invalid_config", `initialState${place} ${problem}.`);
    }) as StateRecord;
  }

  /** The state that a run with this input starts from: a copy, and the run's own. */
  start(input?: unknown): StateRecord {
    const initial = copyState(this.#initial);
    return input === undefined ? initial : { ...initial, ...this.#readInput(input) };
  }

  /** What kind of value each key holds. */
  get kinds(): ReadonlyMap<string, ValueKind> {
    return new Map(this.#keys.map((key) => [key, this.kindAt(key)]));
  }

  has(key: string): boolean {
    return this.#keys.includes(key);
  }

  /** What kind of value stands under the key; `open` when anything may. */
  kindAt(key: string): ValueKind {
    return kindOf(getOwn(this.#initial, key));
  }

  /** Whether a value fits where the key is. */
  fits(key: string, value: unknown): boolean {
    const kind = this.kindAt(key);
    return kind === "open" || kind === kindOf(value);
  }

  #readInput(input: unknown): StateRecord {
    if (!isRecord(input)) throw refusal("input must be an object that is merged over the initial state");
    const read = cleanJson(input, (place, problem) => refusal(`input${place} ${problem}`)) as StateRecord;
    for (const [key, value] of Object.entries(read)) this.#checkInput(key, value);
    return read;
  }

  #checkInput(key: string, value: unknown): void {
    if (!this.has(key)) {
      const known = this.#keys.length === 0 ? "it takes none" : `it takes ${this.#keys.join(", ")}`;
      throw refusal(`There is no key ${JSON.stringify(key.slice(0, shownLength))} in the input: ${known}`);
    }
    if (!this.fits(key, value)) throw refusal(`input.${key} must be ${kindNames[this.kindAt(key)]}`);
  }
}

/** A copy that nobody else has. */
export function copyState(state: StateRecord): StateRecord {
  return structuredClone(state);
}

/** Whether the value has members to merge; a list has none. */
export function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What an error repeats of a key that a stranger sent. */
const shownLength = 64;

/** The kinds of values that plain JSON has, in words. What is null, or was undefined, says nothing of what may come. */
export const kindNames = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  list: "a list",
  object: "an object",
  open: "anything",
} as const;

/** A kind of value in a state; `open` says nothing of what may come. */
export type ValueKind = keyof typeof kindNames;

function kindOf(value: unknown): ValueKind {
  if (value === undefined || value === null) return "open";
  return Array.isArray(value) ? "list" : (typeof value as ValueKind);
}

function refusal(sentence: string): TroupeError {
  return new TroupeError("invalid_request", `${sentence}.`);
}
