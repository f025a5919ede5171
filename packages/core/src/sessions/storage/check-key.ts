import { TroupeError } from "../../base/errors/troupe-error.ts";
import { keyProblem } from "../../base/util/key-problem.ts";
import type { Listing, ListOptions } from "./storage-driver.ts";

/** Throws `invalid_value` for a namespace or key that not every driver could store unchanged. */
export function checkRecordKey(namespace: string, key: string): void {
  checkString("namespace", namespace, "must not be empty");
  checkString("key", key, "must not be empty");
}

/** Throws `invalid_value` for a namespace or key prefix that no key can have. The empty prefix is allowed. */
export function checkPrefix(namespace: string, prefix: string): void {
  checkString("namespace", namespace, "must not be empty");
  checkString("prefix", prefix);
}

/**
 * Throws `invalid_value` for list options that drivers would treat differently: a limit of 0 means "all" to some
 * databases.
 */
export function checkListOptions({ limit, after }: ListOptions): void {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1)) {
    throw new TroupeError("invalid_value", `The storage list limit must be a positive integer, got ${limit}.`);
  }
  if (after !== undefined) checkString('list option "after"', after);
}

/** Throws `invalid_value` for a listing of `listMany` that `list` would reject. */
export function checkListing({ namespace, prefix, limit, after }: Listing): void {
  checkPrefix(namespace, prefix);
  checkListOptions({ limit, ...(after !== undefined && { after }) });
}

function checkString(name: string, text: string, ifEmpty?: string): void {
  const problem = text === "" ? ifEmpty : keyProblem(text);
  if (problem !== undefined) throw new TroupeError("invalid_value", `The storage ${name} ${problem}.`);
}
