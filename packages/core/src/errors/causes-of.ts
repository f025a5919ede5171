import { readProperty } from "../util/read-property.ts";

/** How deep causes are followed; vendor libraries wrap a broken socket three times. */
const deepest = 6;

/** An error, then its cause, then the cause of that. The depth is bounded, so that a cycle of causes ends too. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && cause !== null; cause = readProperty(cause, "cause")) {
    causes.push(cause);
    if (causes.length > deepest) break;
  }
  return causes;
}
