import { scrubbedCause } from "../../base/errors/scrubbed-cause.ts";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { originOf } from "../../base/errors/wrapper-error.ts";
import { createRedactor } from "../../base/log/redact.ts";
import { createMasker } from "../../base/util/create-masker.ts";
import { RunError } from "./run-output.ts";
import type { Run } from "./run.ts";

const longestMessage = 2000;

/**
 * Makes the error of a failed run, with the run's output up to the failure. Its cause is the original error, or a copy
 * without API keys if the original contains an API key of the run. The error's message contains no key either.
 */
export function toRunError(error: TroupeError, run: Run): RunError {
  const { code, message, fields } = error;
  const keys = keysOf(run);
  const origin = originOf(error);
  const cause = holdsKey(origin, keys) ? scrubbedCause(origin, { mask: createMasker(keys), withText: true }) : origin;
  const redact = createRedactor(keys);
  return new RunError(code, redact(message, longestMessage), { fields, cause, output: run.toOutput("error") });
}

function keysOf({ settings }: Run): string[] {
  return Object.values(settings.apiKeys).filter((key) => key !== undefined);
}

function holdsKey(value: unknown, keys: readonly string[]): boolean {
  if (keys.length === 0) return false;
  try {
    // `node:util` is not imported statically: the import would slow the start of every program that imports core.
    const { inspect } = process.getBuiltinModule("node:util");
    const text = inspect(value, { depth: 8, showHidden: true, maxStringLength: Infinity });
    return createMasker(keys)(text) !== text;
  } catch {
    return true;
  }
}
