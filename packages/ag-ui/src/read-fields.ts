import { TroupeError } from "@troupe/core";

/** An object of a request, with its fields as they were sent. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns an array of objects. Throws `invalid_request` for anything else. */
export function readList(value: unknown, place: string): Fields[] {
  if (!Array.isArray(value)) throw invalid(`${place} must be an array.`);
  return value.map((each: unknown, index) => readFields(each, `${place}[${index}]`));
}

/** Returns an object. Throws `invalid_request` for anything else. */
export function readFields(value: unknown, place: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw invalid(`${place} must be an object.`);
}

/** Returns a string, which may be omitted or null. Throws `invalid_request` for anything else. */
export function readString(value: unknown, place: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw invalid(`${place} must be a string.`);
}

/** Returns the error for a request that does not have the described form. */
export function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
