import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresServer, TestChild } from "@troupe-internal/fault-tools";
import pg from "pg";
import { childrenCpuTimeMs } from "../../cpu-time.ts";
import { PostgresMeter } from "../../nodes/postgres-meter.ts";
import { median } from "../../statistics.ts";
import { toLines } from "../../table.ts";
import { installPeers, silent } from "./install-peers.ts";

/** A product whose process waits for rounds, with its own database. */
type Peer = { name: string; version: string; child: TestChild; database: string };

/**
 * The costs of one run in a round. `cpuUs`: processor time of the process that runs the steps; `serverUs`: that of the
 * server that stores them.
 */
type Cost = { cpuUs: number; serverUs: number; ms: number; walBytes: number; commits: number; keptBytes: number };

const concurrency = 16;
const products = ["troupe", "troupe over BullMQ", "dbos", "langgraph", "mastra", "restate"];
/** Milliseconds in which a product makes the writes that it has put off. */
const settleMs = 300;

/** Measures durable runs beside other products, and prints the table. */
export async function printPeers(size: { rounds: number; runs: number }): Promise<void> {
  console.log(`${toLines(await measurePeers(size))}\n`);
}

/**
 * Measures a durable run of three steps, each with a short text, beside other products: all on one PostgreSQL, but for
 * Restate, which stores in a server of its own. There are rounds in which each product has its turn. The ratios are taken within a round. Returns the rows of a table, with the versions.
 */
export async function measurePeers({ rounds, runs }: { rounds: number; runs: number }): Promise<string[][]> {
  const programs = installPeers();
  const server = await PostgresServer.create();
  const meter = await PostgresMeter.open(server.url);
  const peers: Peer[] = [];
  try {
    for (const name of products) peers.push(await start(name, { server, programs }));
    for (const peer of peers) await measure(peer, { server, meter, runs: Math.ceil(runs / 2) });
    const costs = peers.map((): Cost[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [index, peer] of peers.entries()) costs[index]?.push(await measure(peer, { server, meter, runs }));
    }
    return toRows(peers, costs);
  } finally {
    for (const { child } of peers) await child.close();
    await meter.close();
    await server.close();
  }
}

async function start(name: string, { server, programs }: { server: PostgresServer; programs: string }): Promise<Peer> {
  const id = name.replaceAll(" ", "_").toLowerCase();
  await query(server.url, `create database ${id}`);
  const database = server.url.replace(/\/postgres$/, `/${id}`);
  const own = pathToFileURL(join(import.meta.dirname, "../__fixtures__/troupe.mjs"));
  const file = name.startsWith("troupe") ? own : pathToFileURL(join(programs, `${name}.mjs`));
  const args = name === "troupe over BullMQ" ? [database, "bullmq"] : [database];
  const child = await TestChild.start(file, { args, env: { ...process.env, ...silent } });
  const { version } = await answerOf<{ version: string }>(child, "version");
  return { name, version, child, database };
}

async function measure(
  { child, database }: Peer,
  { server, meter, runs }: { server: PostgresServer; meter: PostgresMeter; runs: number },
): Promise<Cost> {
  // Restate's server is a child of its process.
  const serverMs = () => meter.cpuTimeMs() + childrenCpuTimeMs(child.pid);
  const before = await countersOf(server.url, database);
  const beganAtMs = serverMs();
  const answered = answerOf<{ cpuUs: number; ms: number }>(child, "cpuUs");
  child.send({ count: runs, concurrency });
  const { cpuUs, ms } = await answered;
  await sleep(settleMs);
  const tookMs = serverMs() - beganAtMs;
  const after = await countersOf(server.url, database);
  return {
    cpuUs: cpuUs / runs,
    serverUs: (tookMs * 1000) / runs,
    ms: ms / runs,
    walBytes: (after.wal - before.wal) / runs,
    commits: (after.commits - before.commits) / runs,
    keptBytes: (after.kept - before.kept) / runs,
  };
}

/** The next message with a field. Rejects with the output of a process that has failed. */
async function answerOf<Message extends object>(child: TestChild, field: keyof Message & string): Promise<Message> {
  const message = await child
    .next((each): each is object => typeof each === "object" && each !== null && (field in each || "failure" in each))
    .catch((error: unknown) => {
      throw new Error(`The process ended: ${child.output.toString()}`, { cause: error });
    });
  if ("failure" in message) throw new Error(String(message.failure));
  return message as Message;
}

/** The counters of a server and of one database on it. `kept`: the bytes of all rows in the database. */
type Counters = { wal: number; commits: number; kept: number };

async function countersOf(url: string, database: string): Promise<Counters> {
  const name = new URL(database).pathname.slice(1);
  // The statistics of a connection are published some time after its transactions.
  const [row] = await query(
    url,
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal, xact_commit as commits from pg_stat_database where datname = '${name}'`,
  );
  return { wal: Number(row?.["wal"]), commits: Number(row?.["commits"]), kept: await keptBytes(database) };
}

async function keptBytes(database: string): Promise<number> {
  const tables = await query(
    database,
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  if (tables.length === 0) return 0;
  const sums = tables.map(({ name }) => `select sum(pg_column_size(each.*)) as bytes from ${String(name)} as each`);
  const [row] = await query(database, `select sum(bytes) as kept from (${sums.join(" union all ")}) as sums`);
  return Number(row?.["kept"]);
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

function toRows(peers: readonly Peer[], costs: readonly (readonly Cost[])[]): string[][] {
  const rows = peers.map(({ name, version }, index) => {
    const own = costs[index] ?? [];
    const ratios = own.map(({ cpuUs }, round) => cpuUs / (costs[0]?.[round]?.cpuUs ?? NaN));
    const of = (figure: keyof Cost) => median(own.map((cost) => cost[figure]));
    const bothMs = median(own.map(({ cpuUs, serverUs }) => (cpuUs + serverUs) / 1000)).toFixed(2);
    const figures = [of("commits"), of("walBytes") / 1024, of("keptBytes") / 1024];
    // Restate stores nothing in its database.
    const counts = of("keptBytes") === 0 ? ["", "", ""] : figures.map((figure) => figure.toFixed(1));
    return [
      `${name} ${version}`,
      of("cpuUs").toFixed(0),
      median(ratios).toFixed(2),
      bothMs,
      of("ms").toFixed(2),
      ...counts,
    ];
  });
  const titles = [
    `a run of 3 steps, ${concurrency} at a time`,
    "CPU us",
    "ratio",
    "with server, CPU ms",
    "ms",
    "commits",
    "KB of WAL",
    "KB kept",
  ];
  return [titles, ...rows];
}
