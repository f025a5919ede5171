import { wrongField } from "../wire/api-error.ts";

/** The unchecked fields of a JSON object sent by a client. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns a value of a request that must be a JSON object. Throws `invalid_request` otherwise. */
export function objectAt(value: unknown, param: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw wrongField(param, "must be an object.");
}

/** Returns a value of a request that must be an array. Throws `invalid_request` otherwise. */
export function arrayAt(value: unknown, param: string): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  throw wrongField(param, "must be an array.");
}

/** Returns a value of a request that must be a string. Throws `invalid_request` otherwise. */
export function stringAt(value: unknown, param: string): string {
  if (typeof value === "string") return value;
  throw wrongField(param, "must be a string.");
}

/** Returns an optional string of a request; undefined for null and a missing field. */
export function optionalStringAt(value: unknown, param: string): string | undefined {
  return value === undefined || value === null ? undefined : stringAt(value, param);
}

/** Returns an optional boolean of a request; `byDefault` for null and a missing field. */
export function booleanAt(value: unknown, param: string, byDefault = false): boolean {
  if (value === undefined || value === null) return byDefault;
  if (typeof value === "boolean") return value;
  throw wrongField(param, "must be true or false.");
}

/** Returns an optional positive integer of a request; undefined for null and a missing field. */
export function countAt(value: unknown, param: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw wrongField(param, "must be a positive integer.");
}

/** Throws `invalid_request` for a field whose value asks for an unsupported feature. */
export function refuseField(isRefused: boolean, param: string, problem: string): void {
  if (isRefused) throw wrongField(param, problem, "unsupported_parameter");
}
