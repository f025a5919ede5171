/** What can be said, from the least to the most important. */
export const saidLevels = ["debug", "info", "warn", "error"] as const;

/** How important something is that a logger says. */
export type SaidLevel = (typeof saidLevels)[number];

/** From which importance on a logger speaks. */
export type LogLevel = SaidLevel | "silent";
