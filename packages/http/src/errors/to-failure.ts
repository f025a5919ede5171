import { TroupeError } from "@troupe/core";
import { toTroupeError } from "@troupe/core/adapter";
import type { Failure } from "./failure.ts";
import { readForeignError } from "./foreign-error.ts";
import { statusOf } from "./status-of.ts";

/** Says what to answer for anything thrown. What is neither ours nor meant for clients is `internal`, and says no more. */
export function toFailure(thrown: unknown): Failure {
  const foreign = TroupeError.is(thrown) ? undefined : readForeignError(thrown);
  if (foreign !== undefined) return foreign;
  const error = toTroupeError(thrown);
  return { status: statusOf(error.code), error };
}
