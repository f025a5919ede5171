import { readRetryAfter } from "../errors/read-retry-after.ts";
import { readProperty } from "../util/read-property.ts";

/** How long a failed call was asked to wait: its `retryAfterMs`, or what its response headers say. Nothing is 0. */
export function askedDelay(error: unknown): number {
  const asked = readProperty(error, "retryAfterMs") ?? fromHeaders(readProperty(error, "headers"));
  return typeof asked === "number" && asked > 0 ? asked : 0;
}

function fromHeaders(headers: unknown): number | undefined {
  return headers instanceof Headers ? readRetryAfter(headers) : undefined;
}
