import { createRedactor, isSecretName } from "@troupe/core/kit";
import type { Json } from "@troupe/core";

/** Largest number of characters that the inspector shows of all strings in a value. */
const longestValue = 60_000;
/** Largest number of characters that the inspector shows of one string. */
const longestString = 20_000;
/** Number of characters that the inspector shows of a string that looks like the base64 of a file. */
const longestData = 80;
/** Largest number of items that the inspector shows of an array, and of fields of an object. */
const mostItems = 200;
const deepest = 24;
/** Largest number of nested values that the inspector shows of one value. */
const mostValues = 4000;

const looksLikeData = /^[\w+/=-]{1000}/;
const redact = createRedactor();

type Budget = { characters: number; values: number };

/**
 * Returns a copy of a JSON value that is short enough to send and draw, however long and deep the value is. A note
 * replaces the omitted parts. Secrets are hidden, by the names of their fields and by the patterns that logs hide.
 */
export function toShownJson(value: unknown): Json {
  return copy(value, { characters: longestValue, values: mostValues }, 0);
}

/** Returns a string shortened and redacted as in `toShownJson`. */
export function toShownText(text: string): string {
  return cut(text, { characters: longestString, values: 1 });
}

function copy(value: unknown, budget: Budget, depth: number): Json {
  budget.values -= 1;
  if (typeof value === "string") return cut(value, budget);
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null) return null;
  if (depth >= deepest || budget.values <= 0) return Array.isArray(value) ? "[…]" : "{…}";
  return Array.isArray(value) ? copyArray(value, budget, depth) : copyObject(value, budget, depth);
}

function copyArray(items: readonly unknown[], budget: Budget, depth: number): Json[] {
  const shown: Json[] = [];
  for (const item of items) {
    if (shown.length === mostItems || budget.values <= 0) return [...shown, `… ${items.length - shown.length} more`];
    shown.push(copy(item, budget, depth + 1));
  }
  return shown;
}

function copyObject(value: object, budget: Budget, depth: number): Json {
  const entries = Object.entries(value);
  const shown: [string, Json][] = [];
  for (const [name, item] of entries) {
    if (shown.length === mostItems || budget.values <= 0) {
      shown.push(["…", `${entries.length - shown.length} more`]);
      break;
    }
    const isSecret = isSecretName(name) && item !== null && item !== undefined;
    shown.push([cut(name.slice(0, 1000), budget), isSecret ? "[redacted]" : copy(item, budget, depth + 1)]);
  }
  // The object is not made by assignments, because a field `__proto__` would change its prototype.
  return Object.fromEntries(shown);
}

function cut(text: string, budget: Budget): string {
  const most = looksLikeData.test(text) ? longestData : longestString;
  const length = Math.max(0, Math.min(text.length, most, budget.characters));
  budget.characters -= length;
  // The redactor gets a little more text than is shown, so that no half of a secret is left at the cut.
  if (length === text.length) return redact(text);
  return `${redact(text.slice(0, length + 400), length)} (${text.length - length} more characters)`;
}
