import { thrownMessage } from "../../base/errors/thrown-message.ts";
import { scrubbedCause } from "../../base/errors/scrubbed-cause.ts";
import type { RunContext } from "../run/run-context.ts";
import { runOfContext } from "../run/derive-context.ts";
import { createMasker } from "../../base/util/create-masker.ts";
import type { Masker } from "../../base/util/create-masker.ts";
import { cutToBytes } from "./cut-content.ts";

/** The maximum length of a failure text, in bytes of UTF-8. */
const maxBytes = 2048;

/**
 * Returns the text of a tool's or member's failure for model and client: `beginning: message of the thrown value`. It
 * is without the run's API keys, and at most 2 KB of UTF-8.
 */
export function failureText(beginning: string, thrown: unknown, context: RunContext): string {
  return cutFailureText(`${beginning}: ${keyMasker(context)(thrownMessage(thrown), maxBytes)}`);
}

/** Cuts a text about a tool's failure to at most 2 KB of UTF-8. A shortened text ends with an ellipsis. */
export function cutFailureText(text: string): string {
  const { text: shown, cut } = cutToBytes(text, maxBytes);
  return cut === 0 ? shown : `${cutToBytes(text, maxBytes - Buffer.byteLength("…")).text}…`;
}

/**
 * Returns a copy of a thrown value for the log: names, codes, stack frames and the beginnings of messages, without the
 * run's API keys.
 */
export function loggedCause(thrown: unknown, context: RunContext): Error | undefined {
  return scrubbedCause(thrown, { mask: keyMasker(context), withText: true });
}

/** Returns a function that masks the run's API keys in a text, before the text reaches a model, a client or a log. */
export function keyMasker(context: RunContext): Masker {
  return createMasker(Object.values(runOfContext(context)?.settings.apiKeys ?? {}).filter((key) => key !== undefined));
}
