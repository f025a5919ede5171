import { maxJsonDepth } from "../base/util/clean-json.ts";
import { createId } from "../base/util/create-id.ts";
import { isRecord } from "../base/util/is-record.ts";
import { describeJsonProblem, maxJsonLength } from "./json-limits.ts";

/** Result of parsing JSON: the value, or a problem that quotes no part of the text. */
export type ParsedJson<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

/**
 * Parses the arguments of a tool call as written by a model. An empty text means no arguments. A value that is not an
 * object is returned as a problem.
 */
export function parseArguments(text: string): ParsedJson<Record<string, unknown>> {
  if (text.trim() === "") return { ok: true, value: {} };
  const parsed = parseModelJson(text);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  if (isRecord(value)) return { ok: true, value };
  return { ok: false, problem: "is not an object" };
}

/**
 * Writes the arguments of a tool call that a vendor sent as JSON instead of text. `parseArguments` reads the same value
 * back. Infinite numbers from `1e999`, which `JSON.stringify` would replace by null, stay infinite, so that their call
 * is refused.
 */
export function stringifyArguments(args: unknown): string {
  try {
    const text = JSON.stringify(args ?? {});
    return text.includes("null") ? writeNumbers(args) : text;
  } catch {
    // Arguments that nest too deep cannot be written. They are replaced by a text whose nesting no tool accepts.
    return "[".repeat(maxJsonDepth + 1) + "]".repeat(maxJsonDepth + 1);
  }
}

function writeNumbers(args: unknown): string {
  const mark = createId();
  const text = JSON.stringify(args, (_name, value: unknown) => {
    return typeof value === "number" && !Number.isFinite(value) ? `${mark}${value < 0 ? "-" : ""}` : value;
  });
  return text.replaceAll(`"${mark}"`, "1e999").replaceAll(`"${mark}-"`, "-1e999");
}

/**
 * Parses JSON written by a model, within the limits of length and depth. Returns a problem instead of throwing,
 * including for a value that cannot be stored, such as the number `1e999`. If a key occurs twice, the last value
 * counts.
 */
export function parseModelJson(text: string): ParsedJson {
  if (text.length > maxJsonLength) return { ok: false, problem: `is longer than ${maxJsonLength} characters` };
  if (text.trim() === "") return { ok: false, problem: "is empty" };
  try {
    const value: unknown = JSON.parse(text);
    const problem = describeJsonProblem(value);
    return problem === undefined ? { ok: true, value } : { ok: false, problem };
  } catch (error) {
    return { ok: false, problem: describeSyntaxError(error) };
  }
}

// Describes a syntax error without the engine's own message, which quotes the text.
function describeSyntaxError(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const position = /at position (\d+)/.exec(message)?.[1];
  if (/^Unexpected end|^Unterminated/.test(message)) return "is not valid JSON: it ends too early";
  return position === undefined ? "is not valid JSON" : `is not valid JSON: it breaks at character ${position}`;
}
