/** Levels of log entries, in ascending order of importance. */
export const entryLevels = ["debug", "info", "warn", "error"] as const;

/** Level of one log entry. */
export type EntryLevel = (typeof entryLevels)[number];

/** Lowest level that a logger writes; `silent` writes no entries. */
export type LogLevel = EntryLevel | "silent";
