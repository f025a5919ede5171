import { DatabaseSync } from "node:sqlite";
import type { Json } from "@troupe/core";
import { RunWriteRecorder } from "@troupe/core/testing";
import { PostgresStorage } from "@troupe/storage-postgres";
import { SqliteStorage } from "@troupe/storage-sqlite";
import pg from "pg";

/** A committed change of a record; `value` is null after its removal. Changes with one `commit` took effect at once. */
type TracedWrite = { namespace: string; key: string; value: string | null; commit: string | number };

const columns = "number integer primary key, namespace text, key text, value text";

const triggers = ["insert", "update", "delete"].map((event) => {
  const row = event === "delete" ? "old" : "new";
  const value = event === "delete" ? "null" : "new.value";
  return `create trigger traced_${event} after ${event} on troupe_records begin
    insert into traced_writes (namespace, key, value) values (${row}.namespace, ${row}.key, ${value});
  end;`;
});

/** Makes an SQLite database that notes all committed writes of all processes, in their order. */
export async function traceSqlite(file: string): Promise<void> {
  const storage = new SqliteStorage(file);
  await storage.get("runs", "none");
  await storage.close();
  const database = new DatabaseSync(file);
  database.exec(`create table traced_writes (${columns}); ${triggers.join("")}`);
  database.close();
}

/**
 * Lets a PostgreSQL note all committed writes of all processes, in the order of their commits: the trigger runs at the end
 * of a transaction, and holds a lock until that is committed.
 */
export async function tracePostgres(url: string): Promise<void> {
  const storage = new PostgresStorage(url);
  await storage.get("runs", "none");
  await storage.close();
  await withClient(url, async (client) => {
    await client.query(`
      create table traced_writes (${columns.replace("integer", "serial")}, commit xid8 default pg_current_xact_id());
      create function trace_write() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(417);
        if tg_op = 'DELETE' then
          insert into traced_writes (namespace, key) values (old.namespace, old.key);
        else
          insert into traced_writes (namespace, key, value) values (new.namespace, new.key, new.value);
        end if;
        return null;
      end $$;
      create constraint trigger traced after insert or update or delete on troupe_records
        deferrable initially deferred for each row execute function trace_write();`);
  });
}

/** The number of noted writes, the number of kinds among them, and the writes that the table does not allow. */
export type JudgedWrites = { readonly writes: number; readonly kinds: number; readonly faults: readonly string[] };

/** Compares the noted writes of an SQLite database with the table of transitions. */
export function judgeSqlite(file: string): JudgedWrites {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database
    .prepare('select namespace, key, value, number as "commit" from traced_writes order by number')
    .iterate();
  const judged = judge(rows as Iterable<TracedWrite>);
  database.close();
  return judged;
}

/** Compares the noted writes of a PostgreSQL with the table of transitions. */
export async function judgePostgres(url: string): Promise<JudgedWrites> {
  return await withClient(url, async (client) => {
    const { rows } = await client.query<TracedWrite>(
      "select namespace, key, value, commit from traced_writes where namespace like 'run%' order by number",
    );
    return judge(rows);
  });
}

function judge(rows: Iterable<TracedWrite>): JudgedWrites {
  const recorder = new RunWriteRecorder();
  let writes = 0;
  let last: TracedWrite["commit"] | undefined;
  const gathered: { namespace: string; key: string; value: Json | null }[] = [];
  for (const { namespace, key, value, commit } of rows) {
    if (commit !== last) recorder.commit(gathered.splice(0));
    gathered.push({ namespace, key, value: value === null ? null : (JSON.parse(value) as Json) });
    last = commit;
    writes += 1;
  }
  recorder.commit(gathered);
  const faults = recorder.violations.map((write) => `The table of transitions does not allow ${write}.`);
  return { writes, kinds: recorder.seen.size, faults };
}

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
