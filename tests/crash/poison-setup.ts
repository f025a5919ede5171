/** Settings of a process with neighbours of a poison run: the address of its storage, an SQLite file or a PostgreSQL. */
export type PoisonSetup = { kind: "sqlite" | "postgres"; address: string };

/** A message from the parent: serve, and begin a run of each of these agents. */
export type PoisonOrder = { begin: readonly ("neighbour" | "poison")[] };

/** A message to the parent: the ids of the runs that were begun. */
export type BegunRuns = { begun: readonly string[] };
