import { encodeSequence } from "@troupe/core/storage";
import { MongoStorage } from "@troupe/storage-mongodb";
import { MongoClient } from "mongodb";
import type { Collection } from "mongodb";
import { loadedTurns, turn } from "./turn-storage.ts";
import type { TurnStorage } from "./turn-storage.ts";

type StoredTurn = { _id: string; v: string };

/** Short pasts only: SecantusDB scans the whole collection for any range of ids. */
export const secantusPasts: readonly number[] = [10, 100];

const database = "troupe_bench";
const batch = 5000;

/** Opens a database of its own, and `mongodb` by hand on the same collection. */
export async function openMongodb(url: string): Promise<TurnStorage> {
  const client = new MongoClient(url, {
    writeConcern: { w: "majority", journal: true },
    readConcern: { level: "majority" },
  });
  await client.db(database).dropDatabase();
  const driver = new MongoStorage(url, database);
  await driver.ping();
  const records = client.db(database).collection<StoredTurn>("storage");
  return {
    driver,
    fill: async (prefix, count) => await fill(records, prefix, count),
    byHand: async (prefix) => await byHand(client, records, prefix),
    close: async () => {
      await driver.close();
      await client.db(database).dropDatabase();
      await client.close();
    },
  };
}

function toRecord(prefix: string, seq: number): StoredTurn {
  return { _id: `turns/${prefix}${encodeSequence(seq)}`, v: JSON.stringify(turn) };
}

async function fill(records: Collection<StoredTurn>, prefix: string, count: number): Promise<void> {
  for (let from = 1; from <= count; from += batch) {
    const length = Math.min(batch, count - from + 1);
    const turns = Array.from({ length }, (_, index) => toRecord(prefix, from + index));
    // Turns that are never read need no durability.
    await records.insertMany(turns, { ordered: false, writeConcern: { w: 1, journal: false } });
  }
}

async function byHand(client: MongoClient, records: Collection<StoredTurn>, prefix: string): Promise<number> {
  const range = { _id: { $gte: `turns/${prefix}0`, $lt: `turns/${prefix}:` } };
  const appending = client.startSession();
  const found = await records
    .find(range, { session: appending, sort: { _id: -1 }, projection: { _id: 1 }, limit: 1 })
    .toArray();
  const last = Number(found[0]?._id.slice(-12) ?? 0);
  await records.insertOne(toRecord(prefix, last + 1), { session: appending });
  await appending.endSession();
  const loading = client.startSession();
  const snapshot = { session: loading, readConcern: { level: "snapshot" } } as const;
  const turns = await records.find(range, { ...snapshot, sort: { _id: -1 }, limit: loadedTurns }).toArray();
  await loading.endSession();
  return turns.map(({ v }) => JSON.parse(v) as unknown).length;
}
