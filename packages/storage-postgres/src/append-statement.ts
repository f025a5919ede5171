import type { AppendRequest } from "@troupe/core/storage";
import type { SqlCall, Statements } from "@troupe-internal/sql-storage";

/**
 * Returns a single statement for a whole append. The statement stores nothing and returns no row if another writer has
 * taken the number in the meantime. With `leaseText`, the text of the lease as it was read, the same happens if the
 * stored lease has changed.
 */
export type AppendStatement = (request: AppendRequest, leaseText?: string) => SqlCall;

/**
 * Returns the SQL of appends to a table; each finds the next number and inserts. `table`: its quoted name with schema.
 */
export function appendStatement({ lastNumbered }: Statements, table: string): AppendStatement {
  const last = lastNumbered({ namespace: "", keyPrefix: "" });
  const parameter = (index: number): string => `$${last.parameters.length + index}::text`;
  // The row lock makes a takeover of the lease wait until the record is stored, so that the takeover sees it.
  const held = `held as (
      select from ${table} where namespace = 'locks' and key = ${parameter(4)} and value = ${parameter(5)} for share
    )`;
  const sql = (isHeld: boolean): string => `
    with last as (${last.sql}),
    next as (select coalesce((select right(key, 12)::bigint from last), 0) + 1 as number)${isHeld ? `, ${held}` : ""}
    insert into ${table} (namespace, key, value)
    select ${parameter(1)}, ${parameter(2)} || lpad(number::text, 12, '0'), ${parameter(3)}
    from next${isHeld ? ", held" : ""}
    where number <= 999999999999
    on conflict do nothing
    returning key`;
  const [free, underLease] = [sql(false), sql(true)];
  return (request, leaseText) => {
    const { namespace, keyPrefix, text, lease } = request;
    const parameters = [...lastNumbered(request).parameters, namespace, keyPrefix, text];
    if (lease === undefined || leaseText === undefined) return { sql: free, parameters };
    return { sql: underLease, parameters: [...parameters, lease.key, leaseText] };
  };
}
