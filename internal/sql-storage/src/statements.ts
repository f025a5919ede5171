import type { Statement } from "./statement.ts";

type Record = "namespace" | "key";
type Range = "namespace" | "from" | "to" | "limit";

/** All that is ever said to the database about records. What writes under a condition answers with a row when it did. */
export type Statements = {
  /** Makes the table unless it is there. */
  readonly createTable: Statement<never>;
  /** The value of a record. */
  readonly read: Statement<Record>;
  /** Stores a record, replacing any earlier one. */
  readonly put: Statement<Record | "value">;
  /** Removes a record. */
  readonly remove: Statement<Record>;
  /** Stores a record unless there is one. */
  readonly insert: Statement<Record | "value">;
  /** Stores a record in place of one with exactly the text `old`. */
  readonly replace: Statement<Record | "old" | "value">;
  /** Removes a record that has exactly the text `old`. */
  readonly removeOld: Statement<Record | "old">;
  /** Keys and values from `from` up to, but without, `to`. */
  readonly list: Statement<Range>;
  /** The same, last key first. */
  readonly listDown: Statement<Range>;
  /** The highest key of a range that has so many characters, with nothing but digits from the n-th on. */
  readonly lastNumbered: Statement<"namespace" | "from" | "to" | "length" | "digitsAt">;
};
