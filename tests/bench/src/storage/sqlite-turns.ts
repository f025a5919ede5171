import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { encodeSequence } from "@troupe/core/storage";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { loadedTurns, turn } from "./turn-storage.ts";
import type { TurnStorage } from "./turn-storage.ts";

/** Opens a file of its own, and `node:sqlite` by hand on the same file. */
export async function openSqlite(): Promise<TurnStorage> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const file = join(folder, "turns.db");
  const driver = new SqliteStorage(file);
  await driver.ping();
  const database = new DatabaseSync(file);
  database.exec("pragma synchronous = full; pragma busy_timeout = 5000");
  return {
    driver,
    fill: async (prefix, count) => fill(database, prefix, count),
    byHand: createByHand(database),
    close: async () => {
      await driver.close();
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function fill(database: DatabaseSync, prefix: string, count: number): void {
  const numbers = "with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?)";
  database
    .prepare(
      `insert into troupe_records (namespace, key, value) ${numbers} select 'turns', ? || printf('%012d', n), ? from numbers`,
    )
    .run(count, prefix, JSON.stringify(turn));
}

function createByHand(database: DatabaseSync): TurnStorage["byHand"] {
  const [begin, commit] = [database.prepare("begin immediate"), database.prepare("commit")];
  const last = database.prepare(
    `select key from troupe_records where namespace = ? and key >= ? and key < ?
     and length(key) = ? and ltrim(substr(key, ?), '0123456789') = '' order by key desc limit 1`,
  );
  const insert = database.prepare(
    `insert into troupe_records (namespace, key, value) values (?, ?, ?)
     on conflict (namespace, key) do update set value = excluded.value`,
  );
  const load = database.prepare(
    "select key, value from troupe_records where namespace = ? and key >= ? and key < ? order by key desc limit ?",
  );
  return async (prefix) => {
    const range = ["turns", `${prefix}0`, `${prefix}:`] as const;
    begin.run();
    const { key = "" } = (last.get(...range, prefix.length + 12, prefix.length + 1) ?? {}) as { key?: string };
    const next = prefix + encodeSequence(Number(key.slice(prefix.length)) + 1);
    insert.run("turns", next, JSON.stringify(turn));
    commit.run();
    const rows = load.all(...range, loadedTurns) as { value: string }[];
    return rows.map(({ value }) => JSON.parse(value) as unknown).length;
  };
}
