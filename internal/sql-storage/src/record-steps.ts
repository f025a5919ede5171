import type { SqlCall, SqlRow, SqlSteps } from "./sql-steps.ts";
import type { Statements } from "./statements.ts";

/** A write with its value as text; `null` deletes. */
export type TextWrite = { readonly namespace: string; readonly key: string; readonly text: string | null };

/** Runs one statement and returns its rows. */
export function* ask(call: SqlCall): SqlSteps<readonly SqlRow[]> {
  return yield call;
}

/** Makes the writes one after the other. */
export function* write(statements: Statements, writes: readonly TextWrite[]): SqlSteps<void> {
  for (const { namespace, key, text } of writes) {
    yield text === null ? statements.remove({ namespace, key }) : statements.put({ namespace, key, value: text });
  }
}

/**
 * What is left to write of a transaction: of several writes to one record the last, in the order of the records, so that
 * two transactions on the same records never wait for each other.
 */
export function lastWrites(writes: readonly TextWrite[]): TextWrite[] {
  // No namespace holds NUL.
  const byRecord = new Map(writes.map((each) => [`${each.namespace}\0${each.key}`, each]));
  return [...byRecord].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}
