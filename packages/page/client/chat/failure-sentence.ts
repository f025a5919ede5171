import type { Failure } from "@troupe-internal/client";
import { vendors } from "../keys/key-ring.ts";
import { strings } from "../strings/strings.ts";

/** Returns a sentence about a failure for the user. If a key is missing, the sentence names the place to enter it. */
export function toSentence({ code, message, vendor }: Failure): string {
  const known = code === "unauthorized" ? vendors.find(({ id }) => id === vendor) : undefined;
  if (known === undefined) return message;
  return strings.conversation.needsKey(known.name);
}
