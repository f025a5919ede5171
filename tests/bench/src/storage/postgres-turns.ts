import { PostgresStorage } from "@troupe/storage-postgres";
import pg from "pg";
import { loadedTurns, turn } from "./turn-storage.ts";
import type { TurnStorage } from "./turn-storage.ts";

const schema = "troupe_bench";
const table = `${schema}.troupe_records`;

/** Opens a schema of its own, and `pg` by hand on the same table. */
export async function openPostgres(url: string): Promise<TurnStorage> {
  const pool = new pg.Pool({ connectionString: url });
  await pool.query(`drop schema if exists ${schema} cascade`);
  const driver = new PostgresStorage(url, { schema });
  await driver.ping();
  return {
    driver,
    fill: async (prefix, count) => await fill(pool, prefix, count),
    byHand: async (prefix) => await byHand(pool, prefix),
    close: async () => {
      await driver.close();
      await pool.query(`drop schema ${schema} cascade`);
      await pool.end();
    },
  };
}

async function fill(pool: pg.Pool, prefix: string, count: number): Promise<void> {
  await pool.query(
    `insert into ${table} (namespace, key, value)
     select 'turns', $1 || lpad(number::text, 12, '0'), $2 from generate_series(1, $3::int) number`,
    [prefix, JSON.stringify(turn), count],
  );
  await pool.query(`analyze ${table}`);
}

async function byHand(pool: pg.Pool, prefix: string): Promise<number> {
  const range = ["turns", `${prefix}0`, `${prefix}:`];
  await pool.query(
    `with last as (select key from ${table} where namespace = $1 and key >= $2 and key < $3
       and length(key) = $4 and ltrim(substr(key, $5), '0123456789') = '' order by key desc limit 1)
     insert into ${table} (namespace, key, value)
     select $6::text, $7::text || lpad((coalesce((select right(key, 12)::bigint from last), 0) + 1)::text, 12, '0'), $8::text
     on conflict do nothing returning key`,
    [...range, prefix.length + 12, prefix.length + 1, "turns", prefix, JSON.stringify(turn)],
  );
  const { rows } = await pool.query<{ value: string }>(
    `select key, value from ${table} where namespace = $1 and key >= $2 and key < $3 order by key desc limit $4`,
    [...range, loadedTurns],
  );
  return rows.map(({ value }) => JSON.parse(value) as unknown).length;
}
