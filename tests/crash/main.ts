// `pnpm test:crash [sqlite] [postgres] [mongodb] [restarts] [runs] [demo] [poison] [poison-postgres] [nodes-postgres]
// [nodes-redis] [nodes-saturated] [nodes-blocked] [forms] [forms-postgres] [sleeps] [sleeps-postgres]`: runs 15 crash trials on
// each storage, or TROUPE_CRASH_TRIALS of them, restarts PostgreSQL under load, and kills a service with durable runs and the
// demo server 200 times each, or TROUPE_KILLS; a poison run kills its process beside 30 others. The trials of services on
// several machines kill 12, 6 and 3 of their processes, or TROUPE_KILLS, and block live ones 12 times, or TROUPE_BLOCKS. 5 kills,
// or TROUPE_KILLS, interrupt workflow steps of all forms, and 500 runs sleep, or TROUPE_SLEEPS. All draw from the seed 1, or
// TROUPE_SEED, which is printed. Trials without their servers are skipped and named, which is an error when REQUIRED_SERVICES
// lists one. `--install` installs what is missing.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StorageDriver } from "@troupe/core";
import { PostgresStorage } from "@troupe/storage-postgres";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { PostgresServer } from "@troupe-internal/fault-tools";
import { haveServices } from "../../tools/services/have-services.ts";
import { mongodb } from "../../tools/services/mongodb.ts";
import { postgres } from "../../tools/services/postgres.ts";
import { redis } from "../../tools/services/redis.ts";
import type { Service } from "../../tools/services/service.ts";
import type { StorageAddress } from "../processes/open-storage.ts";
import { tryCrashes } from "./crash-trials.ts";
import { tryForms } from "./forms/try-forms.ts";
import { forms } from "./forms/forms-steps.ts";
import { killDemoWhileStreaming, killWhileStreaming } from "./kill-while-streaming.ts";
import { tryBlocks, tryNodeKills, trySaturation } from "./nodes/nodes-trials.ts";
import { tryPoison } from "./poison.ts";
import type { PoisonSetup } from "./poison-setup.ts";
import { tryRestarts } from "./postgres-restarts.ts";
import { trySleeps } from "./sleeps.ts";

/** Trials of one kind. They return the faults that they found. */
type Trials = { run: (url: string) => Promise<readonly string[]>; services?: readonly Service[] };

const trialsOf: Readonly<Record<string, Trials>> = {
  sqlite: { run: trySqlite },
  postgres: { run: async (address) => await tryStorage({ kind: "postgres", address }), services: [postgres] },
  mongodb: { run: async (address) => await tryStorage({ kind: "mongodb", address }), services: [mongodb] },
  restarts: { run: tryPostgresRestarts, services: [postgres] },
  runs: { run: async () => await tryDurableRuns(killWhileStreaming) },
  demo: { run: async () => await tryDurableRuns(killDemoWhileStreaming) },
  poison: { run: tryPoisonOnSqlite },
  "poison-postgres": { run: tryPoisonOnPostgres, services: [postgres] },
  "nodes-postgres": { run: async () => await tryKilledNodes("postgres", 12), services: [postgres] },
  "nodes-redis": { run: async () => await tryKilledNodes("redis", 6), services: [postgres, redis] },
  "nodes-saturated": { run: trySaturatedNodes, services: [postgres] },
  forms: { run: async () => await tryFormsOn("sqlite") },
  "forms-postgres": { run: async () => await tryFormsOn("postgres"), services: [postgres] },
  sleeps: { run: trySleepsOnSqlite },
  "sleeps-postgres": { run: trySleepsOnPostgres, services: [postgres] },
  "nodes-blocked": { run: tryBlockedNodes, services: [postgres] },
};

const mayInstall = process.argv.includes("--install");
const names = process.argv.slice(2).filter((argument) => argument !== "--install");
const seed = Number(process.env["TROUPE_SEED"] ?? "1");
const trials = Number(process.env["TROUPE_CRASH_TRIALS"] ?? "15");
const required = (process.env["REQUIRED_SERVICES"] ?? "").split(",").map((name) => name.trim());

/** Milliseconds that a takeover with a free slot may take in the middle. It takes about 3,300 on a machine that does nothing else. */
const mostTakeoverMs = 6000;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function trySqlite(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-crash-"));
  try {
    return await tryStorage({ kind: "sqlite", address: join(folder, "sessions.db") });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function tryStorage(storage: StorageAddress): Promise<readonly string[]> {
  const record = await tryCrashes({ storage, trials, seed });
  for (const line of record.toLines()) print(`  ${line}`);
  return record.faults;
}

/** Uses a server of its own, since it is stopped again and again. */
async function tryPostgresRestarts(): Promise<readonly string[]> {
  const server = await PostgresServer.create();
  try {
    const { acknowledged, refused, inFlight, faults } = await tryRestarts(server, { restarts: 10, runs: 1000 });
    print(
      `  ${inFlight.length} restarts, each with at least ${Math.min(...inFlight)} runs in flight, one service process`,
    );
    print(`  runs: ${acknowledged} acknowledged, ${refused} refused`);
    return faults;
  } finally {
    await server.close();
  }
}

async function tryDurableRuns(kill: typeof killWhileStreaming): Promise<readonly string[]> {
  const kills = Number(process.env["TROUPE_KILLS"] ?? "200");
  const { faults, ends, effects, remote, ...counts } = await kill({ kills, seed });
  const { reconnects, resets, interrupted, doubts, writes, kinds } = counts;
  print(
    `  ${kills} kills; runs by their end: ${JSON.stringify(ends)}; ${effects} effects, ${remote} of a remote member`,
  );
  print(
    `  ${reconnects} reconnects, ${resets} resets, ${interrupted} plain streams interrupted, ${doubts} doubts answered`,
  );
  print(`  ${writes} writes of ${kinds} kinds, compared with the table of transitions`);
  return faults;
}

async function tryPoisonOnSqlite(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-poison-"));
  try {
    return await tryPoisonOn({ kind: "sqlite", address: join(folder, "runs.db") });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Uses a PostgreSQL of its own. */
async function tryPoisonOnPostgres(): Promise<readonly string[]> {
  const server = await PostgresServer.create();
  try {
    return await tryPoisonOn({ kind: "postgres", address: server.url });
  } finally {
    await server.close();
  }
}

async function tryPoisonOn(setup: PoisonSetup): Promise<readonly string[]> {
  const { deaths, ends, resumeMs, writes, faults } = await tryPoison(setup);
  print(`  a poison run beside 30 others: ${deaths} deaths of its process; runs by their end: ${JSON.stringify(ends)}`);
  print(`  one kill of 30 runs: the first goes on after ${resumeMs[0]} ms, the last after ${resumeMs.at(-1)} ms`);
  print(`  ${writes} writes, compared with the table of transitions`);
  return faults;
}

async function trySleepsOnSqlite(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-sleeps-"));
  try {
    return await trySleepsOn(new SqliteStorage(join(folder, "runs.db")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Uses a PostgreSQL of its own. */
async function trySleepsOnPostgres(): Promise<readonly string[]> {
  const server = await PostgresServer.create();
  try {
    return await trySleepsOn(new PostgresStorage(server.url));
  } finally {
    await server.close();
  }
}

async function trySleepsOn(storage: StorageDriver): Promise<readonly string[]> {
  const count = Number(process.env["TROUPE_SLEEPS"] ?? "500");
  try {
    const { startsPerSecond, timers, heapPerRun, lateness, faults } = await trySleeps(storage, count);
    print(`  ${count} sleeping runs, due at half the ${startsPerSecond} runs that started each second before`);
    print(`  ${timers} timers and ${heapPerRun} bytes of heap for each while they slept`);
    print(
      `  late by ${lateness.p50} ms in the middle, ${lateness.p99} ms at the slowest hundredth, ${lateness.max} ms at most`,
    );
    return faults;
  } finally {
    await storage.close();
  }
}

/** Uses a PostgreSQL of its own. */
async function tryFormsOn(kind: "sqlite" | "postgres"): Promise<readonly string[]> {
  const kills = Number(process.env["TROUPE_KILLS"] ?? "5");
  const { interrupted, faults, ...counts } = await tryForms({ kind, kills, seed });
  const { runs, doubts, writes, wholeKills } = counts;
  print(`  ${kills} kills, ${wholeKills} of them with all forms under way; ${runs} runs, ${doubts} doubts answered`);
  print(`  ${writes} writes, compared with the table of transitions`);
  print("  form       interrupted  continued by a process that served already");
  for (const form of forms) {
    const { steps, elsewhere } = interrupted[form];
    print(`  ${form.padEnd(10)} ${String(steps).padStart(11)}  ${elsewhere}`);
  }
  return faults;
}

async function tryKilledNodes(engine: "postgres" | "redis", usual: number): Promise<readonly string[]> {
  const kills = Number(process.env["TROUPE_KILLS"] ?? usual);
  const record = await tryNodeKills({ engine, kills, seed });
  for (const line of record.toLines()) print(`  ${line}`);
  return [...record.faults, ...record.lateTakeovers(mostTakeoverMs)];
}

async function trySaturatedNodes(): Promise<readonly string[]> {
  const record = await trySaturation({ kills: Number(process.env["TROUPE_KILLS"] ?? "3"), seed });
  for (const line of record.toLines()) print(`  ${line}`);
  const after = record.takeovers.map(({ newRuns }) => newRuns).toSorted((one, other) => one - other);
  print(`  runs that began between a kill and the takeover of its runs: ${after.join(", ")}`);
  return [...record.faults, ...record.lateTakeovers(mostTakeoverMs)];
}

async function tryBlockedNodes(): Promise<readonly string[]> {
  const blocks = Number(process.env["TROUPE_BLOCKS"] ?? "12");
  const record = await tryBlocks({ blocks, seed });
  for (const line of record.toLines()) print(`  ${line}`);
  print(`  takeovers of runs of live processes, in ${blocks} blocks: ${record.needless.length}`);
  return [
    ...record.faults,
    ...record.needless.map((runId) => `The run ${runId} was overtaken, and its process lived.`),
  ];
}

/** Provides the servers that the trials need. Without them they are skipped. */
async function tryOne(name: string, { run, services = [] }: Trials): Promise<readonly string[]> {
  const needed = required.filter((each) => services.some((service) => service.name === each));
  const wanted = { environment: {}, required: needed, mayInstall };
  const { addresses, missing, stop } = await haveServices(services, wanted);
  try {
    const [lack] = missing;
    if (lack !== undefined) {
      print(`${name}: skipped for lack of a server: ${lack.name} (${lack.advice}).`);
      return [];
    }
    print(`${name}:`);
    const startedAt = performance.now();
    const faults = await run(addresses[services[0]?.variable ?? ""] ?? "");
    print(
      `  ${faults.length === 0 ? "no faults" : `${faults.length} faults`}, in ${Math.round((performance.now() - startedAt) / 1000)} s`,
    );
    for (const fault of faults.slice(0, 20)) print(`  - ${fault}`);
    return faults;
  } finally {
    await stop();
  }
}

print(`TROUPE_SEED=${seed}`);
for (const name of names.length > 0 ? names : Object.keys(trialsOf)) {
  const found = trialsOf[name];
  if (found === undefined) throw new Error(`Unknown trials "${name}". Expected ${Object.keys(trialsOf).join(", ")}.`);
  if ((await tryOne(name, found)).length > 0) process.exitCode = 1;
}
