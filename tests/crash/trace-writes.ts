import { DatabaseSync } from "node:sqlite";
import type { Json } from "@troupe/core";
import { RunWriteRecorder } from "@troupe/core/testing";

/** A committed change of a record; `value` is null after its removal. */
type TracedWrite = { namespace: string; key: string; value: string | null };

const triggers = ["insert", "update", "delete"].map((event) => {
  const row = event === "delete" ? "old" : "new";
  const value = event === "delete" ? "null" : "new.value";
  return `create trigger traced_${event} after ${event} on troupe_records begin
    insert into traced_writes (namespace, key, value) values (${row}.namespace, ${row}.key, ${value});
  end;`;
});

/** Lets an SQLite database note all committed writes of all processes, in their order. Call it before they begin. */
export function traceWrites(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`create table traced_writes (number integer primary key, namespace, key, value); ${triggers.join("")}`);
  database.close();
}

/** The number of noted writes, the number of kinds among them, and the writes that the table does not allow. */
export type JudgedWrites = { readonly writes: number; readonly kinds: number; readonly faults: readonly string[] };

/** Compares the noted writes with the table of transitions. */
export function judgeWrites(file: string): JudgedWrites {
  const database = new DatabaseSync(file, { readOnly: true });
  const recorder = new RunWriteRecorder();
  let writes = 0;
  const rows = database.prepare("select namespace, key, value from traced_writes order by number").iterate();
  for (const row of rows) {
    const { namespace, key, value } = row as TracedWrite;
    recorder.write(namespace, key, value === null ? null : (JSON.parse(value) as Json));
    writes += 1;
  }
  database.close();
  return { writes, kinds: recorder.seen.size, faults: recorder.violations };
}
