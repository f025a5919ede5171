import { oneOf, optional } from "../errors/option-checks.ts";
import type { OptionCheck } from "../errors/read-options.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { entryLevels } from "./log-level.ts";
import type { LogLevel } from "./log-level.ts";
import { createLogger, loggerOption } from "./logger.ts";
import type { Logger } from "./logger.ts";

/** The options of agents, teams and workflows that determine where their runs log. */
export type LogChoice = {
  /**
   * The logger of the runnable's runs and their tools, which has its own level. @default no logger; a child run uses
   * the logger of its parent run
   */
  logger?: Logger | undefined;
  /** Logs to the standard error stream from this level on, instead of `logger`. @default "silent" */
  logLevel?: LogLevel | undefined;
};

/** Option checks of a `LogChoice`, for the tables of agents, teams and workflows. */
export const logChoiceTable: { logger: OptionCheck<Logger | undefined>; logLevel: OptionCheck<LogLevel | undefined> } =
  {
    logger: optional(loggerOption),
    logLevel: optional(oneOf(...entryLevels, "silent")),
  };

/** Throws `invalid_config` if both `logger` and `logLevel` are given, because a logger has its own level. */
export function checkLogChoice({ logger, logLevel }: LogChoice): void {
  if (logger === undefined || logLevel === undefined) return;
  const mend = "The logger has a level of its own: createLogger({ level }) sets it.";
  throw new TroupeError("invalid_config", `logLevel must be left out beside logger. ${mend}`);
}

/**
 * Returns the logger that a runnable was given or chose by `logLevel`, with its name as prefix; undefined if neither
 * option is set. `"silent"` also counts as a choice.
 */
export function createRunnableLogger(name: string, { logger, logLevel }: LogChoice): Logger | undefined {
  if (logger !== undefined) return logger.child(name);
  return logLevel === undefined ? undefined : createLogger({ level: logLevel, prefix: name });
}
