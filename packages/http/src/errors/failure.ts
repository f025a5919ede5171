import type { TroupeError } from "@troupe/core";

/** What is answered when something went wrong. */
export type Failure = { status: number; error: TroupeError };
