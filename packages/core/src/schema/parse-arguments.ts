import { parseJson, type ParsedJson } from "./parse-json.ts";

/** Reads the arguments text of a tool call. No text means no arguments; anything but an object is a problem. */
export function parseArguments(text: string): ParsedJson<Record<string, unknown>> {
  if (text.trim() === "") return { ok: true, value: {} };
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  if (isObject(value)) return { ok: true, value };
  return { ok: false, problem: "is not an object" };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
