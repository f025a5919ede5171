import { TroupeError } from "../errors/troupe-error.ts";
import type { ErrorCode } from "../errors/troupe-error.ts";

/** The failure of a team all of whose members failed: theirs, when it was the same for all. Who was never heard of took too long. */
export function nobodyAnswered(failures: readonly (TroupeError | undefined)[]): TroupeError {
  const [code, ...others] = new Set(failures.map((failure): ErrorCode => failure?.code ?? "timeout"));
  const isOne = code !== undefined && others.length === 0;
  const cause = failures.find((failure) => failure !== undefined);
  // A member that was cancelled, and not by this run, has failed like any other.
  const shared = isOne && code !== "cancelled" ? code : "model_failed";
  return new TroupeError(shared, "Not one member of the team has answered: all of them failed.", { cause });
}
