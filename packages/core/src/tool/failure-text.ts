import { scrubbedCause } from "../errors/scrubbed-cause.ts";
import type { RunContext } from "../run/run-context.ts";
import { runOf } from "../run/run.ts";
import { createMasker } from "../util/create-masker.ts";
import type { Masker } from "../util/create-masker.ts";
import { readProperty } from "../util/read-property.ts";
import { cutText } from "./cut-text.ts";

/** The longest text of a failure, in bytes of UTF-8. */
const maxBytes = 2048;

/** Returns the text of a thrown value for model and client: `beginning: message`, without the run's keys, at most 2 KB. */
export function failureText(beginning: string, thrown: unknown, context: RunContext): string {
  return shortText(`${beginning}: ${keyMasker(context)(messageOf(thrown), maxBytes)}`);
}

/** Cuts a text to 2 KB. */
export function shortText(text: string): string {
  const { text: shown, cut } = cutText(text, maxBytes);
  return cut === 0 ? shown : `${cutText(text, maxBytes - Buffer.byteLength("…")).text}…`;
}

/** Returns what is logged of a thrown value: names, codes, places and the beginnings of texts, without the run's keys. */
export function loggedCause(thrown: unknown, context: RunContext): Error | undefined {
  return scrubbedCause(thrown, { mask: keyMasker(context), withText: true });
}

/** Returns a function that hides the keys of the run. */
export function keyMasker(context: RunContext): Masker {
  return createMasker(Object.values(runOf(context)?.settings.apiKeys ?? {}).filter((key) => key !== undefined));
}

function messageOf(thrown: unknown): string {
  const message = typeof thrown === "object" ? readProperty(thrown, "message") : thrown;
  if (typeof message === "string" && message !== "") return message;
  if (typeof thrown === "number" || typeof thrown === "boolean") return String(thrown);
  return `it threw ${describe(thrown)} without a message`;
}

function describe(thrown: unknown): string {
  if (thrown === undefined || thrown === null) return String(thrown);
  const kind = typeof thrown;
  if (kind === "string") return "a string";
  return kind === "object" ? "an object" : `a ${kind}`;
}
