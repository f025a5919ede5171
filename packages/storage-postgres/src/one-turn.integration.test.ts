import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PostgresStorage } from "./index.ts";

const newSchema = testSchemas();
const rounds = 80;
const turn = {
  v: 1,
  runId: "run",
  input: "x".repeat(500),
  messages: [{ role: "assistant", content: "y".repeat(1500) }],
};

/** Stores and loads one turn with the same two statements, without the storage. */
class ByHand {
  readonly #pool = new pg.Pool({ connectionString: serverUrl });
  readonly #table: string;

  constructor(table: string) {
    this.#table = table;
  }

  async turn(prefix: string): Promise<unknown[]> {
    const [first, end] = [`${prefix}0`, `${prefix}:`];
    await this.#pool.query(
      `with last as (select key from ${this.#table} where namespace = $1 and key >= $2 and key < $3
         and length(key) = $4 and ltrim(substr(key, $5), '0123456789') = '' order by key desc limit 1)
       insert into ${this.#table} (namespace, key, value)
       select $6::text, $7::text || lpad((coalesce((select right(key, 12)::bigint from last), 0) + 1)::text, 12, '0'), $8::text
       on conflict do nothing returning key`,
      ["turns", first, end, prefix.length + 12, prefix.length + 1, "turns", prefix, JSON.stringify(turn)],
    );
    const { rows } = await this.#pool.query<{ key: string; value: string }>(
      `select key, value from ${this.#table} where namespace = $1 and key >= $2 and key < $3 order by key desc limit $4`,
      ["turns", first, end, 20],
    );
    return rows.map(({ key, value }) => ({ key, value: JSON.parse(value) as unknown }));
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The ratio of their times: the least of three medians, since other load only adds time. */
async function ratioOf(one: () => Promise<unknown>, other: () => Promise<unknown>): Promise<number> {
  const medians = [await medianRatio(one, other), await medianRatio(one, other), await medianRatio(one, other)];
  return Math.min(...medians);
}

/** Alternates between them, so that other load affects both. */
async function medianRatio(one: () => Promise<unknown>, other: () => Promise<unknown>): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [first, second] = round % 2 === 0 ? [one, other] : [other, one];
    const [before, after] = [await timeOf(first), await timeOf(second)];
    ratios.push(round % 2 === 0 ? before / after : after / before);
  }
  return ratios.toSorted((less, more) => less - more)[rounds / 2] ?? Infinity;
}

describe.skipIf(serverUrl === "")("PostgresStorage's turn", { timeout: 120_000 }, () => {
  const sizes = [10, 1000, 100_000];
  const schema = newSchema();
  const byHand = new ByHand(`${schema}.troupe_records`);
  let storage: PostgresStorage;
  const load = async (prefix: string): Promise<unknown[]> => {
    await storage.append("turns", prefix, turn);
    return await storage.list("turns", prefix, { limit: 20, reverse: true });
  };

  beforeAll(async () => {
    storage = new PostgresStorage(serverUrl, { schema });
    await storage.get("ns", "k");
    for (const who of ["ours", "hand"]) {
      for (const size of sizes) {
        await ask(
          `insert into ${schema}.troupe_records
           select 'turns', '${who}/${size}/' || lpad(number::text, 12, '0'), '${JSON.stringify(turn)}'
           from generate_series(1, ${size}) number`,
        );
      }
    }
    await ask(`analyze ${schema}.troupe_records`);
  }, 120_000);
  afterAll(async () => {
    await storage.close();
    await byHand.close();
  });

  it.each(sizes)("costs at most 1.5 times the bare statements, after %i turns", async (size) => {
    const [ours, byHands] = [await load(`ours/${size}/`), await byHand.turn(`hand/${size}/`)];
    expect([ours.length, byHands.length]).toEqual([Math.min(20, size + 1), Math.min(20, size + 1)]);

    const ratio = await ratioOf(
      () => load(`ours/${size}/`),
      () => byHand.turn(`hand/${size}/`),
    );
    expect(ratio).toBeLessThan(1.5);
  });

  it("costs at most 1.5 times as much after 100,000 turns as after 1,000", async () => {
    const ratio = await ratioOf(
      () => load("ours/100000/"),
      () => load("ours/1000/"),
    );
    expect(ratio).toBeLessThan(1.5);
  });
});
