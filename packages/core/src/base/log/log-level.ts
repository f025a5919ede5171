/** Levels of log entries, from the least to the most important. */
export const entryLevels = ["debug", "info", "warn", "error"] as const;

/** Level of one log entry. */
export type EntryLevel = (typeof entryLevels)[number];

/** Lowest level that a logger writes; `silent` writes nothing. */
export type LogLevel = EntryLevel | "silent";
