/** What a statement is given in place of its parameters. */
export type SqlParameter = string | number;

/** One statement with its parameters, in the order of their places. */
export type SqlCall = { readonly sql: string; readonly parameters: readonly SqlParameter[] };

/** One row of an answer: those columns that were asked for. */
export type SqlRow = { readonly key?: string; readonly value?: unknown };

/**
 * The work of one call on the storage: yields each statement that it wants run, is given its rows, and returns the
 * result. Who runs the steps decides whether to wait in between: SQLite runs all of them in one go.
 */
export type SqlSteps<Result> = Generator<SqlCall, Result, readonly SqlRow[]>;
