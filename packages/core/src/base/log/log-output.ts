import type { EntryLevel } from "./log-level.ts";
import type { Loggable } from "./to-loggable.ts";

/** One log entry, without secrets and ready to be written. */
type LogEntry = {
  time: Date;
  level: EntryLevel;
  prefix: string;
  message: string;
  fields: Readonly<Record<string, Loggable>>;
};

/** Destination and format of log entries. */
type LogOutputOptions = {
  /** Receives each finished line with its line break. @default writes to the standard error stream */
  write: ((line: string) => void) | undefined;
  /**
   * `true` writes coloured text everywhere; `false` writes text without colour at a terminal, JSON elsewhere. @default
   * text at a terminal, in colour if the terminal supports it; JSON elsewhere
   */
  color: boolean | undefined;
};

/** Formats one log entry and writes it as a line. */
export type LogOutput = (entry: LogEntry) => void;

/** Makes the output of a logger: text at a terminal or if `color` is `true`, otherwise JSON lines. */
export function createLogOutput({ write, color }: LogOutputOptions): LogOutput {
  return (entry) => {
    // `process.stderr` is read for each line, because hosts and tests replace it.
    const stream = process.stderr;
    const isTerminal = write === undefined && stream.isTTY;
    const isText = isTerminal || color === true;
    const line = isText ? formatText(entry, color ?? stream.hasColors()) : formatJson(entry);
    if (write === undefined) stream.write(`${line}\n`);
    else write(`${line}\n`);
  };
}

/** Formats an entry as one line of JSON. A field whose name is also a part of the entry becomes `field.<name>`. */
function formatJson({ time, level, prefix, message, fields }: LogEntry): string {
  const own = { time: time.toISOString(), level, ...(prefix === "" ? {} : { prefix }), message };
  const given = Object.entries(fields).map(([name, value]) => [
    Object.hasOwn(own, name) ? `field.${name}` : name,
    value,
  ]);
  return escapeControls(JSON.stringify({ ...own, ...Object.fromEntries(given) }));
}

const colorOf = { debug: 90, info: 36, warn: 33, error: 31 } as const satisfies Record<EntryLevel, number>;

/** Formats an entry as text: one line, and below it the stack frames of its errors. */
function formatText({ time, level, prefix, message, fields }: LogEntry, hasColor: boolean): string {
  const paint = (code: number, text: string) => (hasColor ? `\u001B[${code}m${text}\u001B[0m` : text);
  const head = [
    paint(90, time.toISOString().slice("2026-01-01T".length, -1)),
    paint(colorOf[level], level.toUpperCase().padEnd(5)),
    ...(prefix === "" ? [] : [paint(90, escapeControls(prefix))]),
    escapeControls(message),
  ];
  const given = Object.entries(fields).map(([name, value]) => {
    return `${paint(90, `${escapeControls(name)}=`)}${escapeControls(inWords(value))}`;
  });
  const frames = Object.values(fields).flatMap(innermostFrames);
  const under = frames.map((frame) => `\n    ${paint(90, escapeControls(frame))}`);
  return [...head, ...given].join(" ") + under.join("");
}

type LoggedError = { name?: Loggable; code?: Loggable; message: string; stack: string[]; cause?: Loggable };

function inWords(value: Loggable): string {
  if (isLoggedError(value)) return JSON.stringify(errorInWords(value));
  return typeof value === "string" && /^[\w.:/@-]+$/.test(value) ? value : JSON.stringify(value);
}

function errorInWords({ name, code, message, cause }: LoggedError): string {
  const title = [name, code].filter((part) => typeof part === "string" || typeof part === "number").join(" ");
  const rest = cause === undefined ? "" : ` Caused by ${isLoggedError(cause) ? errorInWords(cause) : inWords(cause)}`;
  return `${title}: ${message}${rest}`;
}

/** Returns the stack frames of the deepest cause that has frames, which is where the failure happened. */
function innermostFrames(value: Loggable): string[] {
  if (!isLoggedError(value)) return [];
  const deeper = value.cause === undefined ? [] : innermostFrames(value.cause);
  return deeper.length > 0 ? deeper : value.stack;
}

function isLoggedError(value: Loggable): value is LoggedError {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { message, stack } = value;
  return typeof message === "string" && Array.isArray(stack) && stack.every((frame) => typeof frame === "string");
}

/**
 * Escapes control characters as `\uXXXX`: line breaks, terminal codes and changes of the writing direction. This keeps
 * an entry on one line, and prevents external text from forging an entry.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
