import { TroupeError } from "../base/errors/troupe-error.ts";

// The maximum depth of a JSON Schema. A schema nests two levels for each level of the values that it describes, and
// more for keywords that combine schemas.
const maxDepth = 256;
const maxNodes = 100_000;

/**
 * Copies a JSON Schema, so that later changes of the caller's object have no effect. Throws `invalid_config` for a
 * value that is not JSON (with its location), for a cycle, and for more than 256 levels or 100,000 parts.
 */
export function copyJson(value: unknown, label: string): unknown {
  return copy(value, "#", { label, nodes: maxNodes, depth: maxDepth });
}

type Copying = { readonly label: string; nodes: number; depth: number };

function copy(value: unknown, pointer: string, copying: Copying): unknown {
  copying.nodes -= 1;
  if (copying.nodes < 0) throw refuse(copying.label, pointer, `a schema of at most ${maxNodes} parts`);
  if (isScalar(value)) return value;
  if (typeof value !== "object" || value === null) {
    throw refuse(copying.label, pointer, `JSON, got ${typeof value === "number" ? String(value) : typeof value}`);
  }
  if (!Array.isArray(value) && !isPlainObject(value))
    throw refuse(copying.label, pointer, "JSON, got a class instance");
  if (copying.depth === 0) throw refuse(copying.label, pointer, `at most ${maxDepth} levels and no cycle`);
  copying.depth -= 1;
  const result = Array.isArray(value) ? copyArray(value, pointer, copying) : copyObject(value, pointer, copying);
  copying.depth += 1;
  return result;
}

function copyArray(values: readonly unknown[], pointer: string, copying: Copying): unknown[] {
  return values.map((value, index) => copy(value, `${pointer}/${index}`, copying));
}

// `fromEntries` defines keys, so that a key `__proto__` is ordinary data.
function copyObject(value: object, pointer: string, copying: Copying): Record<string, unknown> {
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.fromEntries(entries.map(([key, part]) => [key, copy(part, `${pointer}/${key}`, copying)]));
}

function isScalar(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return value === null || typeof value === "string" || typeof value === "boolean";
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm has that realm's `Object.prototype`, the only prototype without a prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function refuse(label: string, pointer: string, expected: string): TroupeError {
  const place = pointer.length > 200 ? `${pointer.slice(0, 200)}…` : pointer;
  return new TroupeError("invalid_config", `${label} is not a JSON Schema: at ${place}, expected ${expected}.`);
}
