import {
  booleanOption,
  stringOption,
  functionOption,
  methodsOption,
  oneOf,
  optional,
} from "../errors/option-checks.ts";
import { readOptions } from "../errors/read-options.ts";
import type { OptionTable } from "../errors/read-options.ts";
import { createLogOutput } from "./log-output.ts";
import type { LogOutput } from "./log-output.ts";
import { entryLevels } from "./log-level.ts";
import type { LogLevel, EntryLevel } from "./log-level.ts";
import { createRedactor } from "./redact.ts";
import type { Redactor } from "./redact.ts";
import { toLoggable } from "./to-loggable.ts";
import type { Loggable } from "./to-loggable.ts";

/**
 * Fields of a log entry in addition to its message, with any values: the logger limits their size and masks secrets in
 * them.
 */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * A log for the operator of the service. It never throws and never shows secrets that it was given. Troupe has its own
 * interface, because a logger must mask a run's API keys in messages, errors and URLs, even if they are URL- or
 * JSON-encoded.
 */
export interface Logger {
  /** The lowest level of entries that the logger writes. A logger without this field is assumed to write all levels. */
  readonly level?: LogLevel;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Makes a logger with a longer prefix, or with more fields. */
  child(more: string | LogFields): Logger;
  /** Makes a logger that masks these values wherever they occur, such as a run's API keys. */
  withSecrets(values: Iterable<string | undefined>): Logger;
}

/** Options of `createLogger`. */
export type LoggerOptions = {
  /** Lowest level of log entries that are written. @default "silent" */
  level?: LogLevel | undefined;
  /**
   * `true` writes coloured text everywhere; `false` writes no colour. @default coloured text at a terminal, JSON
   * elsewhere
   */
  color?: boolean | undefined;
  /** String before each message of the log. */
  prefix?: string | undefined;
  /** Receives each line. @default writes to the standard error stream */
  write?: ((line: string) => void) | undefined;
};

/** Option check for a `Logger`: the option `logger` of runnables, providers and transports. */
export const loggerOption = methodsOption<Logger>(
  "a logger such as createLogger({ level })",
  "debug",
  "info",
  "warn",
  "error",
  "child",
  "withSecrets",
);

/** Returns true if a logger writes entries of this level. Use it to avoid work for entries that are not written. */
export function writesLevel({ level: lowest = "debug" }: Logger, level: EntryLevel): boolean {
  return lowest !== "silent" && entryLevels.indexOf(lowest) <= entryLevels.indexOf(level);
}

type State = {
  level: EntryLevel;
  prefix: string;
  fields: readonly LogFields[];
  secrets: readonly string[];
  redact: Redactor;
  output: LogOutput;
};

const optionTable = {
  level: optional(oneOf(...entryLevels, "silent"), "silent"),
  color: optional(booleanOption),
  prefix: optional(stringOption, ""),
  write: optional(functionOption<(line: string) => void>()),
} satisfies OptionTable<LoggerOptions>;

const longestMessage = 2000;

/** Makes a logger that writes to the standard error stream or to `write`; without a `level` it writes no entries. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { level, prefix, color, write } = readOptions(optionTable, options, { owner: "createLogger" });
  if (level === "silent") return silentLogger;
  const output = createLogOutput({ color, write });
  return createActiveLogger({ level, prefix, fields: [], secrets: [], redact: createRedactor(), output });
}

function createActiveLogger(state: State): Logger {
  const methodOf = (level: EntryLevel): Logger["info"] => {
    const isWritten = entryLevels.indexOf(level) >= entryLevels.indexOf(state.level);
    return isWritten ? (message, fields) => writeEntry(state, { level, message, fields }) : ignore;
  };
  return {
    level: state.level,
    debug: methodOf("debug"),
    info: methodOf("info"),
    warn: methodOf("warn"),
    error: methodOf("error"),
    child(more) {
      if (typeof more !== "string") return createActiveLogger({ ...state, fields: [...state.fields, more] });
      return createActiveLogger({ ...state, prefix: state.prefix === "" ? more : `${state.prefix}:${more}` });
    },
    withSecrets(values) {
      const secrets = [...state.secrets, ...[...values].filter((value) => value !== undefined)];
      return createActiveLogger({ ...state, secrets, redact: createRedactor(secrets) });
    },
  };
}

type Message = { level: EntryLevel; message: string; fields: LogFields | undefined };

function writeEntry({ prefix, fields, redact, output }: State, { level, message, fields: more }: Message): void {
  try {
    output({
      time: new Date(),
      level,
      prefix: redact(prefix),
      message: redact(message, longestMessage),
      fields: toFields([...fields, more], redact),
    });
  } catch {
    // A failure of logging must not end the work.
  }
}

function toFields(given: readonly unknown[], redact: Redactor): Record<string, Loggable> {
  const fields: [name: string, value: Loggable][] = [];
  for (const each of given) {
    if (each === undefined) continue;
    const loggable = toLoggable(each, redact);
    const isRecord = typeof loggable === "object" && loggable !== null && !Array.isArray(loggable);
    fields.push(...Object.entries(isRecord ? loggable : { value: loggable }));
  }
  return Object.fromEntries(fields);
}

function ignore(): void {
  // Writes nothing, because this level is below the logger's level.
}

/** Logger that writes no entries. */
export const silentLogger: Logger = {
  level: "silent",
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silentLogger,
  withSecrets: () => silentLogger,
};
