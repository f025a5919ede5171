import { wrongOption } from "../errors/read-options.ts";
import { createLogOutput } from "./log-output.ts";
import type { LogOutput } from "./log-output.ts";
import { saidLevels } from "./log-level.ts";
import type { LogLevel, SaidLevel } from "./log-level.ts";
import { createRedactor } from "./redact.ts";
import type { Redactor } from "./redact.ts";
import { toLoggable } from "./to-loggable.ts";
import type { Loggable } from "./to-loggable.ts";

/** Facts that go with a message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Says what happens, to whoever runs the service. It never throws, and never shows the secrets that it knows. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that puts more before its messages, or more fields to them. */
  child(more: string | LogFields): Logger;
  /** A logger that hides these values wherever they stand, like the keys of a run. */
  withSecrets(values: Iterable<string | undefined>): Logger;
}

/** How a logger is set up. */
export type LoggerOptions = {
  /** From which level on it speaks. @default "silent" */
  level?: LogLevel;
  /** Lines for a reader, in colour or without. @default in colour at a terminal, JSON elsewhere */
  color?: boolean;
  /** Stands before each message. */
  prefix?: string;
  /** Takes each line. @default writes to the standard error stream */
  write?: (line: string) => void;
};

type State = {
  level: SaidLevel;
  prefix: string;
  fields: readonly LogFields[];
  secrets: readonly string[];
  redact: Redactor;
  output: LogOutput;
};

const longestMessage = 2000;

/** Makes a logger. */
export function createLogger(options: LoggerOptions = {}): Logger {
  checkOptions(options);
  const { level = "silent", prefix = "", color, write } = options;
  if (level === "silent") return silentLogger;
  const output = createLogOutput({ color, write });
  return createSpeaker({ level, prefix, fields: [], secrets: [], redact: createRedactor(), output });
}

function createSpeaker(state: State): Logger {
  const methodOf = (level: SaidLevel): Logger["info"] => {
    const isSaid = saidLevels.indexOf(level) >= saidLevels.indexOf(state.level);
    return isSaid ? (message, fields) => say(state, { level, message, fields }) : ignore;
  };
  return {
    debug: methodOf("debug"),
    info: methodOf("info"),
    warn: methodOf("warn"),
    error: methodOf("error"),
    child(more) {
      if (typeof more !== "string") return createSpeaker({ ...state, fields: [...state.fields, more] });
      return createSpeaker({ ...state, prefix: state.prefix === "" ? more : `${state.prefix}:${more}` });
    },
    withSecrets(values) {
      const secrets = [...state.secrets, ...[...values].filter((value) => value !== undefined)];
      return createSpeaker({ ...state, secrets, redact: createRedactor(secrets) });
    },
  };
}

type Saying = { level: SaidLevel; message: string; fields: LogFields | undefined };

function say({ prefix, fields, redact, output }: State, { level, message, fields: more }: Saying): void {
  try {
    output({
      time: new Date(),
      level,
      prefix: redact(prefix),
      message: redact(message, longestMessage),
      fields: toFields([...fields, more], redact),
    });
  } catch {
    // What cannot be logged must not end the work that it tells of.
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
  // Below the logger's level.
}

const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silentLogger,
  withSecrets: () => silentLogger,
};

function checkOptions({ level, color, prefix, write }: LoggerOptions): void {
  const levels: unknown[] = [...saidLevels, "silent", undefined];
  if (!levels.includes(level)) {
    throw wrongOption("level", `one of ${[...saidLevels, "silent"].join(", ")}`, level);
  }
  if (color !== undefined && typeof color !== "boolean") throw wrongOption("color", "true or false", color);
  if (prefix !== undefined && typeof prefix !== "string") throw wrongOption("prefix", "a text", prefix);
  if (write !== undefined && typeof write !== "function") throw wrongOption("write", "a function", write);
}
