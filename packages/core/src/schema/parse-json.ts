import { findExcess } from "./json-limits.ts";

/** A text's value, or what is wrong with the text. The problem quotes nothing of it. */
export type ParsedJson<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

/** The longest text that is read as JSON, in UTF-16 units. */
const maxJsonLength = 1_048_576;

/** Reads JSON that a model wrote, within bounds of length and depth. Of keys that come twice, the last counts. */
export function parseJson(text: string): ParsedJson {
  if (text.length > maxJsonLength) return { ok: false, problem: `is longer than ${maxJsonLength} characters` };
  if (text.trim() === "") return { ok: false, problem: "is empty" };
  try {
    const value: unknown = JSON.parse(text);
    const excess = findExcess(value);
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
