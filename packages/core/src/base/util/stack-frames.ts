import { readProperty } from "./read-property.ts";

const shownFrames = 8;

/** Returns the innermost frames of an error's stack, at most 8, without the message; empty if there is no stack. */
export function stackFrames(error: unknown): string[] {
  const stack = readProperty(error, "stack");
  const message = readProperty(error, "message");
  if (typeof stack !== "string") return [];
  // The message is removed first, because one of its lines may look like a stack frame.
  const frames = typeof message === "string" ? stack.replace(message, () => "") : stack;
  const lines = frames.split("\n").map((line) => line.trim());
  return lines.filter((line) => line.startsWith("at ")).slice(0, shownFrames);
}
