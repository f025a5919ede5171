import type { Failure } from "@troupe-internal/client";
import { vendors } from "../keys/key-ring.ts";

/** Returns a sentence about a failure for the user. If a key is missing, the sentence names the place to enter it. */
export function toSentence({ code, message, vendor }: Failure): string {
  const known = code === "unauthorized" ? vendors.find(({ id }) => id === vendor) : undefined;
  if (known === undefined) return message;
  return `${known.name} needs a key, or has refused the one that it got. Enter one under “Keys of vendors”, at the top of the page.`;
}
