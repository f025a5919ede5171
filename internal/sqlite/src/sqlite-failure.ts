import { TroupeError } from "@troupe/core";
import type { ErrorCode } from "@troupe/core";

type Failure = { code: ErrorCode; problem: string };

const unavailable = (problem: string): Failure => ({ code: "storage_unavailable", problem });

/** SQLite's primary result codes on which a user can act. */
const failures: ReadonlyMap<number, Failure> = new Map([
  [
    1,
    {
      code: "invalid_config",
      problem: "has other tables under these names, or lost its own. Set table to another name",
    },
  ],
  [5, unavailable("was busy for too long: other processes write to it. Raise busyTimeoutMs to wait longer")],
  [8, unavailable("cannot be written. Give this process write access to the file and its folder")],
  [10, unavailable("could not be read or written: the disk or the operating system failed")],
  [11, { code: "storage_corrupt", problem: "is damaged. Replace it with an intact copy" }],
  [13, unavailable("cannot grow: the disk is full. Free some space")],
  [14, unavailable("cannot be opened. Its folder must exist, and this process needs write access to both")],
  [26, { code: "storage_corrupt", problem: "is not an SQLite database. Use another file, or move this one away" }],
]);

/** Returns true if a statement failed because another process has locked the file, so that it can be repeated. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === 5;
}

/**
 * Converts an SQLite error to a `TroupeError` that names the file and gives advice. Returns a `TroupeError` unchanged.
 */
export function toSqliteFailure(error: unknown, path: string): TroupeError {
  if (TroupeError.is(error)) return error;
  const { code, problem } = failures.get(resultCode(error) ?? 0) ?? unavailable("could not complete the operation");
  return new TroupeError(code, `The SQLite file ${path} ${problem}.`, { cause: error });
}

/**
 * Returns the primary result code of an SQLite error, which is the low byte of an extended code. Undefined for any
 * other error.
 */
function resultCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}
