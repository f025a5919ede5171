import { setTimeout as sleep } from "node:timers/promises";
import { PostgresServer } from "@troupe-internal/fault-tools";
import pg from "pg";
import { ask, startChild, stopChild } from "../../child.ts";
import type { Child } from "../../child.ts";
import { cpuTimeMs } from "../../cpu-time.ts";
import { PostgresMeter } from "../../nodes/postgres-meter.ts";
import { median } from "../../statistics.ts";
import { toLines } from "../../table.ts";
import { bareJob, postgresRunKinds } from "./postgres-runs.ts";
import type { PostgresRunKind } from "./postgres-runs.ts";

/** Processor time of a run in microseconds: of the process that performs it, and of PostgreSQL. */
type Cost = { processUs: number; databaseUs: number };

/** Runs of one kind with answers of one length, in a process and a database of their own. */
type Candidate = { kind: PostgresRunKind; chunks: number; child: Child; costs: Cost[] };

const concurrency = 16;
const lengths = [1, 200];
/** Milliseconds in which a process makes the writes that it has put off. */
const settleMs = 300;

/**
 * Measures a run of an agent on one PostgreSQL, plain and durable, in interleaved rounds. Prints what a run costs, what
 * BullMQ adds to it, and what each chunk costs.
 */
export async function printPostgresRuns({ rounds, runs }: { rounds: number; runs: number }): Promise<void> {
  const server = await PostgresServer.create();
  const meter = await PostgresMeter.open(server.url);
  const candidates: Candidate[] = [];
  try {
    for (const chunks of lengths) {
      for (const kind of postgresRunKinds) candidates.push(await start({ kind, chunks }, server.url));
    }
    candidates.push(await start({ kind: bareJob, chunks: 0 }, server.url));
    // The first round warms the processes up, and does not count.
    for (let round = 0; round <= rounds; round++) {
      for (const { child, costs } of candidates) costs.push(await measure(child, meter, runs));
    }
    for (const { costs } of candidates) costs.shift();
    console.log(`${toLines(toRows(candidates))}\n\n${toLines(toDifferences(candidates))}\n`);
  } finally {
    for (const { child } of candidates) stopChild(child);
    await meter.close();
    await server.close();
  }
}

async function start({ kind, chunks }: Pick<Candidate, "kind" | "chunks">, url: string): Promise<Candidate> {
  const name = `${kind.toLowerCase().replaceAll(" ", "_")}_${chunks}`;
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const child = await startChild(new URL("postgres-work.ts", import.meta.url), undefined, {
    BENCH_CANDIDATE: kind,
    BENCH_URL: url.replace(/\/postgres$/, `/${name}`),
    BENCH_CHUNKS: String(chunks),
    BENCH_CONCURRENCY: String(concurrency),
  });
  return { kind, chunks, child, costs: [] };
}

async function measure(child: Child, meter: PostgresMeter, count: number): Promise<Cost> {
  const take = () => ({ process: cpuTimeMs(child.pid), database: meter.cpuTimeMs() });
  const before = take();
  await ask(child, { count });
  await sleep(settleMs);
  const after = take();
  return {
    processUs: ((after.process - before.process) * 1000) / count,
    databaseUs: ((after.database - before.database) * 1000) / count,
  };
}

function toRows(candidates: readonly Candidate[]): string[][] {
  const rows = candidates.map(({ kind, chunks, costs }) => {
    const [own, database] = [costs.map(({ processUs }) => processUs), costs.map(({ databaseUs }) => databaseUs)];
    const bothMs = costs.map(({ processUs, databaseUs }) => (processUs + databaseUs) / 1000);
    const cells = [median(own).toFixed(0), median(database).toFixed(0), median(bothMs).toFixed(2)];
    return [nameOf(kind, chunks), ...cells];
  });
  return [[`an agent's run, ${concurrency} at a time`, "process, CPU us", "PostgreSQL, CPU us", "both, ms"], ...rows];
}

function nameOf(kind: PostgresRunKind, chunks: number): string {
  if (kind === bareJob) return `${kind}, a job without a run`;
  return `${kind}, ${chunks === 1 ? "1 chunk" : `${chunks} chunks`}`;
}

function toDifferences(candidates: readonly Candidate[]): string[][] {
  const costsOf = (kind: PostgresRunKind, chunks: number) =>
    candidates.find((each) => each.kind === kind && each.chunks === chunks)?.costs ?? [];
  /** The median over the rounds of a difference within a round. */
  const between = (more: readonly Cost[], less: readonly Cost[], of: (cost: Cost) => number) =>
    median(more.map((cost, round) => of(cost) - of(less[round] ?? { processUs: NaN, databaseUs: NaN })));
  const ownUs = ({ processUs }: Cost) => processUs;
  const bothUs = ({ processUs, databaseUs }: Cost) => processUs + databaseUs;
  const [short = 1, long = 1] = lengths;
  const chunkOf = (kind: PostgresRunKind) => between(costsOf(kind, long), costsOf(kind, short), ownUs) / (long - short);
  const addedMs = between(costsOf("BullMQ", short), costsOf("LocalEngine", short), bothUs) / 1000;
  return [
    ["difference within a round", "median"],
    ["BullMQ adds to LocalEngine, both, ms", addedMs.toFixed(2)],
    ...postgresRunKinds.map((kind) => [`each more chunk, ${kind}, process, us`, chunkOf(kind).toFixed(2)]),
  ];
}
