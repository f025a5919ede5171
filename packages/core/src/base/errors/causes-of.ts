import { readProperty } from "../util/read-property.ts";

/** The maximum number of causes read from an error's chain. Vendor libraries wrap a broken socket three times. */
const deepest = 6;

/** Returns an error and its chain of `cause`s, outermost first: at most 7 values, because causes may form a cycle. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && cause !== null; cause = readProperty(cause, "cause")) {
    causes.push(cause);
    if (causes.length > deepest) break;
  }
  return causes;
}
