import type { SaidLevel } from "./log-level.ts";
import type { Loggable } from "./to-loggable.ts";

/** One thing said, without secrets: ready to be written. */
export type LogEntry = {
  time: Date;
  level: SaidLevel;
  prefix: string;
  message: string;
  fields: Readonly<Record<string, Loggable>>;
};
