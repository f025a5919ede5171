import { numberedKeys } from "@troupe-internal/sql-storage";
import type { AppendRequest, SqlCall, SqlRow, Statements } from "@troupe-internal/sql-storage";

/** Appends in one statement; given the row of a lease, only while that is what is stored. */
export type AppendStatement = (request: AppendRequest, lease?: SqlRow) => SqlCall;

/** Writes the statement for a table, whose name is as it stands in a statement. */
export function appendStatement(statements: Statements, table: string): AppendStatement {
  const last = statements.lastNumbered(numberedKeys({ namespace: "", keyPrefix: "", text: "" }));
  const place = (index: number): string => `$${last.parameters.length + index}::text`;
  // The lock keeps whoever takes the lease over waiting until this is stored, and then sees it.
  const held = `held as (
      select from ${table} where namespace = 'locks' and key = ${place(4)} and value = ${place(5)} for share
    )`;
  const sql = (isHeld: boolean): string => `
    with last as (${last.sql}),
    next as (select coalesce((select right(key, 12)::bigint from last), 0) + 1 as number)${isHeld ? `, ${held}` : ""}
    insert into ${table} (namespace, key, value)
    select ${place(1)}, ${place(2)} || lpad(number::text, 12, '0'), ${place(3)}
    from next${isHeld ? ", held" : ""}
    where number <= 999999999999
    on conflict do nothing
    returning key`;
  const [free, underLease] = [sql(false), sql(true)];
  return (request, lease) => {
    const { namespace, keyPrefix, text, ifHeld } = request;
    const parameters = [...statements.lastNumbered(numberedKeys(request)).parameters, namespace, keyPrefix, text];
    if (ifHeld === undefined || lease === undefined) return { sql: free, parameters };
    return { sql: underLease, parameters: [...parameters, ifHeld.key, String(lease.value)] };
  };
}
