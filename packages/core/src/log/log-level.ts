/** Levels of entries, from the least to the most important. */
export const entryLevels = ["debug", "info", "warn", "error"] as const;

/** Level of one entry. */
export type EntryLevel = (typeof entryLevels)[number];

/** Lowest level that a logger writes. */
export type LogLevel = EntryLevel | "silent";
