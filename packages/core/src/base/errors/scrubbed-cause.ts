import type { Masker } from "../util/create-masker.ts";
import { readProperty } from "../util/read-property.ts";
import { stackFrames } from "../util/stack-frames.ts";
import { causesOf } from "./causes-of.ts";

const longestText = 200;

/** Options of `scrubbedCause`: the masker of secrets, and `withText`, which removes all messages if false. */
export type ScrubOptions = { mask: Masker; withText: boolean };

/**
 * Copies an error and its causes without secrets, for a `cause` or the log. A copy has names, codes, statuses, stack
 * frames and the first 200 characters of each message. Requests, headers and bodies of vendor libraries are omitted.
 * Returns `undefined` if there is no error.
 */
export function scrubbedCause(error: unknown, scrubbing: ScrubOptions): Error | undefined {
  const causes = [...causesOf(error)];
  return causes.reduceRight<Error | undefined>((cause, each) => {
    const copy = new Error(messageOf(each, scrubbing), cause === undefined ? undefined : { cause });
    describe(copy, each, scrubbing.mask);
    return copy;
  }, undefined);
}

function messageOf(error: unknown, { mask, withText }: ScrubOptions): string {
  if (!withText) return "(text left out)";
  const text = typeof error === "string" ? error : readProperty(error, "message");
  return typeof text === "string" ? mask(text, longestText) : `(a thrown ${typeof error})`;
}

function describe(copy: Error, error: unknown, mask: Masker): void {
  const name = readProperty(error, "name");
  if (typeof name === "string") hide(copy, "name", mask(name, longestText));
  const frames = stackFrames(error).map((frame) => `    ${mask(frame)}`);
  hide(copy, "stack", [`${copy.name}: ${copy.message}`, ...frames].join("\n"));
  for (const key of ["code", "status"]) {
    const value = readProperty(error, key);
    if (typeof value === "number") hide(copy, key, value);
    if (typeof value === "string") hide(copy, key, mask(value, longestText));
  }
}

function hide(target: Error, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, configurable: true, writable: true, enumerable: false });
}
