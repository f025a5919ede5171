// `pnpm test:crash [sqlite] [postgres] [mongodb] [restarts]`: crash trials on each storage, 15 of them or as many as
// TROUPE_CRASH_TRIALS says, and restarts of PostgreSQL under load. What has no server is named at the end; it is an error
// when REQUIRED_SERVICES lists it. `--install` fetches what is missing.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "@troupe-internal/fault-tools";
import { haveServices } from "../../tools/services/have-services.ts";
import { mongodb } from "../../tools/services/mongodb.ts";
import { postgres } from "../../tools/services/postgres.ts";
import type { Service } from "../../tools/services/service.ts";
import type { StorageAddress } from "../processes/open-storage.ts";
import { tryCrashes } from "./crash-trials.ts";
import { tryRestarts } from "./postgres-restarts.ts";

/** What is tried: it gives the faults that it found. */
type Trials = { run: (url: string) => Promise<readonly string[]>; service?: Service };

const trialsOf: Readonly<Record<string, Trials>> = {
  sqlite: { run: trySqlite },
  postgres: { run: async (address) => await tryStorage({ kind: "postgres", address }), service: postgres },
  mongodb: { run: async (address) => await tryStorage({ kind: "mongodb", address }), service: mongodb },
  restarts: { run: tryPostgresRestarts, service: postgres },
};

const mayInstall = process.argv.includes("--install");
const names = process.argv.slice(2).filter((argument) => argument !== "--install");
const trials = Number(process.env["TROUPE_CRASH_TRIALS"] ?? "15");
const required = (process.env["REQUIRED_SERVICES"] ?? "").split(",").map((name) => name.trim());

function say(line: string): void {
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
  const record = await tryCrashes({ storage, trials, seed: 1 });
  for (const line of record.toLines()) say(`  ${line}`);
  return record.faults;
}

/** On a server of its own, since it is stopped again and again. */
async function tryPostgresRestarts(): Promise<readonly string[]> {
  const server = await PostgresServer.create();
  try {
    const { acknowledged, refused, inFlight, faults } = await tryRestarts(server, { restarts: 10, runs: 1000 });
    say(
      `  ${inFlight.length} restarts, each with at least ${Math.min(...inFlight)} runs in flight, one service process`,
    );
    say(`  runs: ${acknowledged} acknowledged, ${refused} refused`);
    return faults;
  } finally {
    await server.close();
  }
}

/** Has the server that the trials need; without it they are skipped, by name. */
async function tryOne(name: string, { run, service }: Trials): Promise<readonly string[]> {
  const services = service === undefined ? [] : [service];
  const wanted = { environment: {}, required: required.filter((each) => each === service?.name), mayInstall };
  const { addresses, missing, stop } = await haveServices(services, wanted);
  try {
    const [lack] = missing;
    if (lack !== undefined) {
      say(`${name}: skipped, for want of a server: ${lack.name} (${lack.advice}).`);
      return [];
    }
    say(`${name}:`);
    const startedAt = performance.now();
    const faults = await run(addresses[service?.variable ?? ""] ?? "");
    say(
      `  ${faults.length === 0 ? "as it must be" : `${faults.length} faults`}, in ${Math.round((performance.now() - startedAt) / 1000)} s`,
    );
    for (const fault of faults.slice(0, 20)) say(`  - ${fault}`);
    return faults;
  } finally {
    await stop();
  }
}

for (const name of names.length > 0 ? names : Object.keys(trialsOf)) {
  const found = trialsOf[name];
  if (found === undefined) throw new Error(`Nothing is called ${name}: there are ${Object.keys(trialsOf).join(", ")}.`);
  if ((await tryOne(name, found)).length > 0) process.exitCode = 1;
}
