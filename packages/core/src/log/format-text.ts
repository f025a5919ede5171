import { escapeControls } from "./escape-controls.ts";
import type { LogEntry } from "./log-entry.ts";
import type { SaidLevel } from "./log-level.ts";
import type { Loggable } from "./to-loggable.ts";

const colorOf = { debug: 90, info: 36, warn: 33, error: 31 } as const satisfies Record<SaidLevel, number>;

/** Writes an entry for a reader at a terminal: one line, and under it where its errors were thrown. */
export function formatText({ time, level, prefix, message, fields }: LogEntry, hasColor: boolean): string {
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

/** The deepest cause is where it happened; the errors around it were made on the way up. */
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
