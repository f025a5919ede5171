import { readObject, readObjects, readText } from "@troupe/core/kit";
import { TruncatedResponseError } from "@troupe/core/provider";
import { toVendorError } from "../errors.ts";
import type { WireChoice, WireCompletion } from "./wire-types.ts";

/**
 * Returns the first choice (index 0) of an answer or delta, or `undefined` if there is none. Throws `VendorError` if
 * the answer or the choice contains an error, and `TruncatedResponseError` for the finish reason `error`.
 */
export function readChoice({ error, object, message, choices }: WireCompletion): WireChoice | undefined {
  const choice = firstOf(readObjects(choices));
  if (object === "error") throw toVendorError({ message });
  const failure = error ?? choice?.error;
  if (failure !== undefined && failure !== null) throw toVendorError(failure);
  if (choice?.finish_reason === "error") throw new TruncatedResponseError("ended its answer with an error");
  return choice;
}

/**
 * Returns the choice with index 0, or the first choice if it has no index. The host's own request fields may ask for
 * several choices, which arrive in any order.
 */
function firstOf(choices: readonly WireChoice[]): WireChoice | undefined {
  const [choice] = choices;
  return (choice?.index ?? 0) === 0 ? choice : choices.find(({ index }) => index === 0);
}

/** Returns the usage object of an answer or delta, in whichever field its server puts it, or `undefined`. */
export function usageIn({ usage, x_groq: groq }: WireCompletion): unknown {
  return usage ?? readObject(groq)["usage"] ?? undefined;
}

/** Returns the text of a message's content, which is a string or an array of parts. Empty if there is no text. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return readObjects(content)
    .map(({ type, text }) => (type === "text" ? readText(text) : ""))
    .join("");
}
