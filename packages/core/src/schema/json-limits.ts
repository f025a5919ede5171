import { maxJsonDepth } from "../base/util/clean-json.ts";

/** The maximum length of JSON that a model may write, in UTF-16 units. */
export const maxJsonLength = 1_048_576;

/** The maximum number of values in one JSON value. A shared part counts each time it occurs. */
const maxJsonNodes = 1_000_000;

/**
 * Describes the limit that a value exceeds: it nests too deep (as a cycle does) or contains too many values. Returns
 * `undefined` if it is within the limits.
 */
export function describeExcess(value: unknown): string | undefined {
  const budget = { nodes: maxJsonNodes };
  if (fits(value, maxJsonDepth, budget)) return undefined;
  return budget.nodes < 0 ? tooManyValues(maxJsonNodes) : tooDeep(maxJsonDepth);
}

function fits(value: unknown, depth: number, budget: { nodes: number }): boolean {
  budget.nodes -= 1;
  if (budget.nodes < 0) return false;
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.every((part) => fits(part, depth - 1, budget));
}

/**
 * Describes the reason why a value written by a model cannot be stored. The value may exceed the limits of depth,
 * number or length, or not be JSON, such as infinity from `1e999` or half a surrogate pair. Quotes no part of the
 * value. Returns `undefined` for a value that every storage and every vendor accepts.
 */
export function describeJsonProblem(
  value: unknown,
  depth = maxJsonDepth,
  { nodes, characters }: JsonSize = largestJson,
): string | undefined {
  return problemIn(value, { depth, maxDepth: depth, nodes, maxNodes: nodes, characters, maxCharacters: characters });
}

/** The maximum number of values in JSON, and of characters in its strings and names. */
export type JsonSize = { readonly nodes: number; readonly characters: number };

const largestJson: JsonSize = { nodes: maxJsonNodes, characters: maxJsonLength };

type Walk = {
  depth: number;
  readonly maxDepth: number;
  nodes: number;
  readonly maxNodes: number;
  characters: number;
  readonly maxCharacters: number;
};

function problemIn(value: unknown, walk: Walk): string | undefined {
  walk.nodes -= 1;
  if (walk.nodes < 0) return tooManyValues(walk.maxNodes);
  switch (typeof value) {
    case "string":
      return problemInText(value, walk);
    case "number":
      return Number.isFinite(value) ? undefined : `holds the number ${value}, which JSON cannot hold`;
    case "object":
      return value === null ? undefined : problemWithin(value, walk);
    case "boolean":
    case "undefined":
      return undefined;
    default:
      return `holds a ${typeof value}, which JSON cannot hold`;
  }
}

function problemInText(text: string, walk: Walk): string | undefined {
  walk.characters -= text.length;
  if (walk.characters < 0) return `is longer than ${walk.maxCharacters} characters`;
  return text.isWellFormed() ? undefined : "holds an unpaired surrogate, which is no character";
}

function problemWithin(value: object, walk: Walk): string | undefined {
  if (walk.depth === 0) return tooDeep(walk.maxDepth);
  walk.depth -= 1;
  const problem = Array.isArray(value) ? problemInItems(value, walk) : problemInMembers(value, walk);
  walk.depth += 1;
  return problem;
}

function problemInItems(items: readonly unknown[], walk: Walk): string | undefined {
  for (const item of items) {
    const problem = problemIn(item, walk);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemInMembers(record: object, walk: Walk): string | undefined {
  for (const key of Object.keys(record)) {
    const problem = problemInText(key, walk) ?? problemIn((record as Record<string, unknown>)[key], walk);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function tooManyValues(most: number): string {
  return `holds more than ${most} values`;
}

function tooDeep(depth: number): string {
  return `nests deeper than ${depth} levels`;
}
