import { isRecord } from "../util/is-record.ts";
import { describeExcess } from "./json-limits.ts";

/** Result of parsing JSON: the value, or a problem that quotes nothing of the text. */
export type ParsedJson<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

/** The greatest length of JSON that is parsed, in UTF-16 units. */
export const maxJsonLength = 1_048_576;

/**
 * Parses the arguments of a tool call as a model wrote them. An empty text means no arguments; anything but an object
 * is returned as a problem.
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
 * Parses JSON that a model wrote, up to the limits of length and depth. Returns a problem instead of throwing. Of a key
 * that occurs twice the last value counts.
 */
export function parseModelJson(text: string): ParsedJson {
  if (text.length > maxJsonLength) return { ok: false, problem: `is longer than ${maxJsonLength} characters` };
  if (text.trim() === "") return { ok: false, problem: "is empty" };
  try {
    const value: unknown = JSON.parse(text);
    const excess = describeExcess(value);
    return excess === undefined ? { ok: true, value } : { ok: false, problem: excess };
  } catch (error) {
    return { ok: false, problem: describeSyntaxError(error) };
  }
}

// The engine's own message quotes the text.
function describeSyntaxError(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const position = /at position (\d+)/.exec(message)?.[1];
  if (/^Unexpected end|^Unterminated/.test(message)) return "is not valid JSON: it ends too early";
  return position === undefined ? "is not valid JSON" : `is not valid JSON: it breaks at character ${position}`;
}
