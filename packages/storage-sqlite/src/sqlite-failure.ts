import { TroupeError } from "@troupe/core";
import type { ErrorCode } from "@troupe/core";

type Failure = { code: ErrorCode; problem: string };

const unavailable = (problem: string): Failure => ({ code: "storage_unavailable", problem });

/** SQLite's primary result codes that tell what to mend. */
const failures: ReadonlyMap<number, Failure> = new Map([
  [
    1,
    {
      code: "invalid_config",
      problem: "has no table of ours under this name, but another or none: name another table",
    },
  ],
  [5, unavailable("was busy for too long: other processes write to it. A larger busyTimeoutMs waits longer")],
  [8, unavailable("cannot be written: give this process the right to write to it and to its folder")],
  [10, unavailable("could not be read or written: the disk or its system failed")],
  [11, { code: "storage_corrupt", problem: "is damaged: put a sound copy in its place" }],
  [13, unavailable("cannot grow: the disk is full. Make room on it")],
  [14, unavailable("cannot be opened: its folder must exist, and this process must have the right to write to both")],
  [26, { code: "storage_corrupt", problem: "is no SQLite database: name another file, or move this one away" }],
]);

/** Whether somebody else has the file locked for the moment. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === 5;
}

/** Makes a `TroupeError` of what SQLite threw; what is one already stays as it is. */
export function toSqliteFailure(error: unknown, file: string): TroupeError {
  if (TroupeError.is(error)) return error;
  const { code, problem } = failures.get(resultCode(error) ?? 0) ?? unavailable("could not do what was asked of it");
  return new TroupeError(code, `The SQLite file ${file} ${problem}.`, { cause: error });
}

/** The low byte of SQLite's code; the higher ones tell more than matters here. */
function resultCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}
