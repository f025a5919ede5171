import { setOwn } from "./set-own.ts";

/**
 * Makes the error that `cleanJson` throws for a value that is not JSON. `place` is the path to the value, such as
 * `.a[3]`, or empty for the whole value.
 */
export type JsonRefusal = (place: string, problem: string) => Error;

/** The maximum nesting depth of JSON. Deeper values could overflow the stack of a recursive walk. */
export const maxJsonDepth = 64;

// The maximum number of values in a copy of a JSON value: shared parts can make a small value expand without limit.
const maxParts = 1_000_000;

type Walk = {
  readonly path: (string | number)[];
  readonly refusal: JsonRefusal;
  /** True if the walk makes copies; false if the value is only checked. */
  readonly copies: boolean;
  parts: number;
};

/**
 * Copies a JSON value. Throws the error of `refusal` for values that `JSON.stringify` would drop, change or call code
 * for, and beyond 64 levels or a million parts. `undefined` properties are omitted, and `-0` becomes `0`.
 */
export function cleanJson(value: unknown, refusal: JsonRefusal): unknown {
  return clean(value, { path: [], refusal, copies: true, parts: 0 });
}

/**
 * Throws the errors of `cleanJson` without copying the value: for a value that is about to become text, or that was
 * just parsed.
 */
export function checkJson(value: unknown, refusal: JsonRefusal): void {
  clean(value, { path: [], refusal, copies: false, parts: 0 });
}

function clean(value: unknown, walk: Walk): unknown {
  switch (typeof value) {
    case "string":
      return cleanString(value, walk);
    case "number":
      // Adding zero turns -0, which JSON cannot hold, into 0.
      return Number.isFinite(value)
        ? value + 0
        : refuse(walk, `is ${value}, which JSON cannot hold: use null or a string`);
    case "boolean":
      return value;
    case "object":
      return value === null ? null : cleanObject(value, walk);
    case "undefined":
      return refuse(walk, "is undefined, which JSON cannot hold: use null");
    case "bigint":
      return refuse(walk, "is a BigInt, which JSON cannot hold: use a string");
    default:
      return refuse(walk, `is a ${typeof value}, which JSON cannot hold`);
  }
}

function cleanString(text: string, walk: Walk): string {
  return text.isWellFormed() ? text : refuse(walk, "holds an unpaired surrogate: call toWellFormed() on the string");
}

function cleanObject(value: object, walk: Walk): unknown {
  if (walk.path.length === maxJsonDepth) refuse(walk, `nests deeper than ${maxJsonDepth} levels, or contains itself`);
  if (Array.isArray(value)) return cleanArray(value, walk);
  if (!isPlain(value)) {
    refuse(
      walk,
      value instanceof Date
        ? "is a Date, which JSON cannot hold: use its toISOString()"
        : "is a class instance, which JSON cannot hold: use a plain object with its fields",
    );
  }
  return cleanMembers(value as Record<string, unknown>, walk);
}

// JSON is copied by plain loops, because iterators and callbacks would cost several times as much.
function cleanArray(items: readonly unknown[], walk: Walk): readonly unknown[] {
  if ("toJSON" in items) refuse(walk, "is an array with a method toJSON, which would be called: use a plain array");
  const copy: unknown[] | undefined = walk.copies ? [] : undefined;
  for (let index = 0; index < items.length; index++) {
    const part = cleanPart(items[index], index, walk);
    copy?.push(part);
  }
  return copy ?? items;
}

function cleanMembers(record: Record<string, unknown>, walk: Walk): Record<string, unknown> {
  const copy: Record<string, unknown> | undefined = walk.copies ? {} : undefined;
  for (const key of Object.keys(record)) {
    const part = record[key];
    if (part === undefined) continue;
    cleanString(key, walk);
    const cleaned = cleanPart(part, key, walk);
    if (copy !== undefined) setOwn(copy, key, cleaned);
  }
  return copy ?? record;
}

function cleanPart(part: unknown, step: string | number, walk: Walk): unknown {
  walk.path.push(step);
  walk.parts += 1;
  if (walk.parts > maxParts) refuse(walk, `comes after ${maxParts} other values, which is too many`);
  const copy = clean(part, walk);
  walk.path.pop();
  return copy;
}

/**
 * Returns true if an object is plain, including objects of another realm: `Object.prototype` is the only prototype
 * without a prototype.
 */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function refuse({ path, refusal }: Walk, problem: string): never {
  const place = path.map((step) => (typeof step === "number" ? `[${step}]` : memberOf(step))).join("");
  throw refusal(place.length > 200 ? `${place.slice(0, 200)}…` : place, problem);
}

function memberOf(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
