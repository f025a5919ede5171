import { TroupeError } from "../../base/errors/troupe-error.ts";
import { checkJson, cleanJson } from "../../base/util/clean-json.ts";
import type { Json } from "./json.ts";
import type { RecordKey } from "./stored-record.ts";

/**
 * Copies a value for storing, after a check that it is JSON of at most 64 levels. Throws `invalid_value` with the
 * location of a wrong value. Members that are `undefined` are omitted, because callers build records with optional
 * fields.
 */
export function toJson(value: unknown): Json {
  return cleanJson(value, notStorable) as Json;
}

/**
 * Returns the JSON text of a value to store, after the check of `toJson`; `undefined` for `null`, which is not
 * stored.
 */
export function toJsonText(value: unknown): string | undefined {
  checkJson(value, notStorable);
  return value === null ? undefined : JSON.stringify(value);
}

function notStorable(place: string, problem: string): TroupeError {
  return new TroupeError("invalid_value", `value${place} ${problem}.`);
}

/**
 * Parses the JSON text of a stored record. Throws `storage_corrupt` for text that `toJson` cannot have written; the
 * error quotes no part of the text.
 */
export function parseJson(text: unknown, at: RecordKey): Json {
  const value = parse(text, at);
  checkJson(value, (place, problem) => corrupt(at, `its value${place} ${problem}`));
  return value as Json;
}

function parse(text: unknown, at: RecordKey): unknown {
  if (typeof text !== "string") throw corrupt(at, "it is not a string");
  try {
    return JSON.parse(text);
  } catch {
    // The error is thrown without the parser's error as its cause, because that error quotes the string, which may
    // contain a prompt.
    throw corrupt(at, "it is not JSON");
  }
}

function corrupt({ namespace, key }: RecordKey, problem: string): TroupeError {
  return new TroupeError("storage_corrupt", `A stored record cannot be read: ${problem}.`, {
    fields: { namespace, key },
  });
}
