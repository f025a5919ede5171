import { TroupeError } from "../errors/troupe-error.ts";
import { cleanJson } from "../util/clean-json.ts";
import type { Json } from "./json.ts";

/**
 * Copies a value that is JSON through and through, at most 64 levels deep; anything else is an `invalid_value` that
 * names its place. Members that are `undefined` are left out, as callers build records with optional fields.
 */
export function toJson(value: unknown): Json {
  return cleanJson(value, (place, problem) => new TroupeError("invalid_value", `value${place} ${problem}.`)) as Json;
}

/** Where a stored text was found. */
export type StoredAt = { namespace: string; key: string };

/** Reads a stored text back. Text that `toJson` cannot have written is `storage_corrupt`, and the error quotes none of it. */
export function parseJson(text: unknown, at: StoredAt): Json {
  return cleanJson(parse(text, at), (place, problem) => corrupt(at, `its value${place} ${problem}`)) as Json;
}

function parse(text: unknown, at: StoredAt): unknown {
  if (typeof text !== "string") throw corrupt(at, "it is not text");
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own error quotes the text, which may hold a prompt.
    throw corrupt(at, "it is not JSON");
  }
}

function corrupt({ namespace, key }: StoredAt, problem: string): TroupeError {
  return new TroupeError("storage_corrupt", `A stored record cannot be read: ${problem}.`, {
    fields: { namespace, key },
  });
}
