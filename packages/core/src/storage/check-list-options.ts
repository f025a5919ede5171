import { TroupeError } from "../errors/troupe-error.ts";
import { keyProblem } from "../util/key-problem.ts";
import type { ListOptions } from "./storage-driver.ts";

/** Refuses options of a listing that drivers would read differently: a limit of 0 means "all" to some databases. */
export function checkListOptions({ limit, after }: ListOptions): void {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1)) {
    throw new TroupeError(
      "invalid_value",
      `The limit of a listing must be a whole number from 1 upwards, got ${limit}.`,
    );
  }
  const problem = after === undefined ? undefined : keyProblem(after);
  if (problem !== undefined) throw new TroupeError("invalid_value", `The "after" of a listing ${problem}.`);
}
