import { TroupeError } from "../../base/errors/troupe-error.ts";
import { cleanJson } from "../../base/util/clean-json.ts";
import type { Json } from "./json.ts";
import type { RecordKey } from "./stored-record.ts";

/**
 * Copies a value to store after a check that it is JSON, at most 64 levels deep; throws `invalid_value`, with its
 * place, for others. Members that are `undefined` are left out, because callers build records with optional fields.
 */
export function toJson(value: unknown): Json {
  return cleanJson(value, (place, problem) => new TroupeError("invalid_value", `value${place} ${problem}.`)) as Json;
}

/**
 * Parses the JSON text of a stored record. Throws `storage_corrupt`, which quotes nothing of it, for text that `toJson`
 * cannot have written.
 */
export function parseJson(text: unknown, at: RecordKey): Json {
  return cleanJson(parse(text, at), (place, problem) => corrupt(at, `its value${place} ${problem}`)) as Json;
}

function parse(text: unknown, at: RecordKey): unknown {
  if (typeof text !== "string") throw corrupt(at, "it is not a string");
  try {
    return JSON.parse(text);
  } catch {
    // Without the parser's error as cause: it quotes the string, which may hold a prompt.
    throw corrupt(at, "it is not JSON");
  }
}

function corrupt({ namespace, key }: RecordKey, problem: string): TroupeError {
  return new TroupeError("storage_corrupt", `A stored record cannot be read: ${problem}.`, {
    fields: { namespace, key },
  });
}
