import { formatJson } from "./format-json.ts";
import { formatText } from "./format-text.ts";
import type { LogEntry } from "./log-entry.ts";

/** Where entries go, and whether they are painted. */
export type LogOutputOptions = {
  /** Takes each finished line, its line break included. @default writes to the standard error stream */
  write?: ((line: string) => void) | undefined;
  /** Lines for a reader, in colour (`true`) or without (`false`). @default in colour at a terminal that has them */
  color?: boolean | undefined;
};

/** Writes an entry. */
export type LogOutput = (entry: LogEntry) => void;

/** Makes the output of a logger: lines for a reader at a terminal or when colour is asked for, else lines of JSON. */
export function createLogOutput({ write, color }: LogOutputOptions): LogOutput {
  return (entry) => {
    // Looked up for each line: hosts replace the stream, and tests do too.
    const stream = process.stderr;
    const isTerminal = write === undefined && stream.isTTY;
    const isForReader = isTerminal || color === true;
    const line = isForReader ? formatText(entry, color ?? stream.hasColors()) : formatJson(entry);
    if (write === undefined) stream.write(`${line}\n`);
    else write(`${line}\n`);
  };
}
