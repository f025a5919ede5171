import { MongodbServer, PostgresServer } from "@troupe-internal/fault-tools";
import { toLines, withRange } from "../table.ts";
import { allPasts, fillPasts, measureTurns } from "./measure-turns.ts";
import type { TurnCost } from "./measure-turns.ts";
import { openMongodb, secantusPasts } from "./mongodb-turns.ts";
import { openPostgres } from "./postgres-turns.ts";
import { openSqlite } from "./sqlite-turns.ts";
import type { TurnStorage } from "./turn-storage.ts";

/** `pnpm --filter @troupe-internal/bench storage`: measures the cost of a turn on each storage of this machine. */
const secantusNote = "it goes through the whole collection for each listing, so its own time grows";
const rounds = Number(process.env["BENCH_ROUNDS"] ?? "200");

function toTable(costs: readonly TurnCost[]): string {
  const titles = ["stored turns", "ratio to the bare client (middle half)", "ratio to 10 turns", "ms per turn"];
  const rows = costs.map(({ past, ratio, ratioRange, growth, ms }) => [
    String(past),
    withRange(ratio, ratioRange, 2),
    growth.toFixed(2),
    ms.toFixed(2),
  ]);
  return toLines([titles, ...rows]);
}

async function show(name: string, storage: TurnStorage, pasts = allPasts): Promise<void> {
  try {
    await fillPasts(storage, pasts);
    console.log(`${name}\n${toTable(await measureTurns(storage, { pasts, rounds }))}\n`);
  } finally {
    await storage.close();
  }
}

async function showPostgres(): Promise<void> {
  if (!PostgresServer.isInstalled()) return console.log("PostgreSQL is not on this machine.\n");
  const server = await PostgresServer.create();
  try {
    await show("PostgreSQL", await openPostgres(server.url));
  } finally {
    await server.close();
  }
}

async function showMongodb(): Promise<void> {
  const url = process.env["MONGODB_URL"];
  if (url !== undefined) return await show("MongoDB", await openMongodb(url));
  if (!MongodbServer.isInstalled()) return console.log("MongoDB: name a server in MONGODB_URL.\n");
  const server = await MongodbServer.create();
  try {
    await show(`SecantusDB for MongoDB; ${secantusNote}`, await openMongodb(server.url), secantusPasts);
  } finally {
    await server.close();
  }
}

await show("SQLite", await openSqlite());
await showPostgres();
await showMongodb();
