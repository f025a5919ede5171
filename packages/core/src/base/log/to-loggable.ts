import { redactedText } from "../util/create-masker.ts";
import { readProperty } from "../util/read-property.ts";
import { stackFrames } from "../util/stack-frames.ts";
import { isSecretName } from "./redact.ts";
import type { Redactor } from "./redact.ts";

/** A value of a log entry: JSON of bounded size, without secrets. */
export type Loggable = string | number | boolean | null | Loggable[] | { [key: string]: Loggable };

/**
 * Limits of one logged value: characters of a string and of a name, nesting levels, entries of an object or array, and
 * values in total.
 */
const limits = { textLength: 2000, nameLength: 128, depth: 8, entries: 50, values: 500 };

type Walk = { redact: Redactor; within: object[]; valuesLeft: number };

/**
 * Converts any value of a log entry to JSON that can be written, with secrets masked. Handles cycles, throwing getters,
 * BigInt and huge values.
 */
export function toLoggable(value: unknown, redact: Redactor): Loggable {
  return visit(value, { redact, within: [], valuesLeft: limits.values });
}

function visit(value: unknown, walk: Walk): Loggable {
  walk.valuesLeft--;
  switch (typeof value) {
    case "string":
      return walk.redact(value, limits.textLength);
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "object":
      return value === null ? null : visitObject(value, walk);
    case "function":
      return "[function]";
    default:
      return walk.redact(String(value), limits.textLength);
  }
}

function visitObject(value: object, walk: Walk): Loggable {
  if (walk.within.includes(value)) return "[circular]";
  if (walk.within.length === limits.depth || walk.valuesLeft <= 0) return "[…]";
  walk.within.push(value);
  try {
    return describe(value, walk);
  } catch {
    return "[unreadable]";
  } finally {
    walk.within.pop();
  }
}

function describe(value: object, walk: Walk): Loggable {
  if (Array.isArray(value)) return visitArray(value, walk);
  if (value instanceof Error) return visitRecord(errorFacts(value), walk);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof URL) return walk.redact(value.href, limits.textLength);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  return visitRecord(value, walk);
}

function visitArray(array: unknown[], walk: Walk): Loggable {
  const shown = array.slice(0, limits.entries).map((entry, index) => {
    // Raw headers are an array of alternating names and values, so the preceding item may be the name of a secret.
    const before: unknown = array[index - 1];
    return typeof before === "string" && isSecretName(before) ? redactedText : visit(entry, walk);
  });
  return array.length > shown.length ? [...shown, more(array.length - shown.length)] : shown;
}

function visitRecord(record: object, walk: Walk): Loggable {
  const keys = Object.keys(record);
  const shown: [name: string, value: Loggable][] = [];
  for (const key of keys.slice(0, limits.entries)) {
    const value = readEntry(record, key);
    if (value === undefined) continue;
    shown.push([walk.redact(key, limits.nameLength), isHidden(key, value) ? redactedText : visit(value, walk)]);
  }
  if (keys.length > limits.entries) shown.push(["…", more(keys.length - limits.entries)]);
  // The object is not built by assignment, because a key may be `__proto__`.
  return Object.fromEntries(shown);
}

function isHidden(key: string, value: unknown): boolean {
  return value !== null && isSecretName(key);
}

function readEntry(record: object, key: string): unknown {
  try {
    return (record as Record<string, unknown>)[key];
  } catch {
    return "[unreadable]";
  }
}

/** Selects the logged properties of an error. Other properties, set by libraries, may be whole requests. */
function errorFacts(error: Error): Record<string, unknown> {
  const [name, code, status, message, fields, errors, cause] = errorKeys.map((key) => readProperty(error, key));
  return { name, code, status, message, fields, errors, stack: stackFrames(error), cause };
}

const errorKeys = ["name", "code", "status", "message", "fields", "errors", "cause"];

function more(count: number): string {
  return `[${count} more]`;
}
