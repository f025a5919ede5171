import { parseArguments } from "@troupe/core/kit";
import type { RunWait } from "@troupe/core";

/** The tool call that a question of a run is about. */
export type AskedCall = { readonly name: string; readonly args: string };

/** Returns the tool call that a question is about. */
export function callOf({ about }: RunWait): AskedCall {
  const { toolName, args } = (about ?? {}) as { readonly toolName?: unknown; readonly args?: unknown };
  return { name: typeof toolName === "string" ? toolName : "tool", args: JSON.stringify(args ?? {}) };
}

/** Returns the result of a tool as text. A value that is not a string becomes JSON. */
export function toOutputText(result: unknown): string {
  return typeof result === "string" ? result : JSON.stringify(result ?? null);
}

/** Returns the arguments of a tool call as the JSON of an object, even if the model has written something else. */
export function toArguments(text: string): string {
  return parseArguments(text).ok && text.trim() !== "" ? text : "{}";
}
