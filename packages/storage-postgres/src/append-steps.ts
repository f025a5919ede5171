import { checkKey, encodeSequence } from "@troupe/core/adapter";
import { checkHeld, nextOf, numberedKeys } from "@troupe-internal/sql-storage";
import type { Appended, AppendRequest, SqlSteps, Statements } from "@troupe-internal/sql-storage";
import type { AppendStatement } from "./append-statement.ts";

/** What is said to the database to append. */
export type AppendStatements = Pick<Statements, "read" | "lastNumbered"> & { readonly append: AppendStatement };

/**
 * Appends without a transaction: one statement finds the number, looks at the lease and stores. It stores nothing when
 * somebody else was quicker with the number or wrote the lease meanwhile, and then it is tried again; each time that it
 * does not succeed, another one did.
 */
export function* appendSteps(statements: AppendStatements, request: AppendRequest): SqlSteps<Appended> {
  const { namespace, keyPrefix, ifHeld } = request;
  checkKey(namespace, keyPrefix + encodeSequence(1));
  for (;;) {
    const [lease] = ifHeld === undefined ? [] : yield statements.read({ namespace: "locks", key: ifHeld.key });
    if (ifHeld !== undefined) checkHeld(lease, ifHeld);
    const [stored] = yield statements.append(request, lease);
    if (stored?.key !== undefined) return { key: stored.key, seq: Number(stored.key.slice(keyPrefix.length)) };
    // Refuses when the numbers have run out.
    nextOf(request, yield statements.lastNumbered(numberedKeys(request)));
  }
}
