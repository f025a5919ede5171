import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom, TestChild } from "@troupe-internal/fault-tools";
import { check, dumpStorage } from "@troupe-internal/run-checker";
import type { StorageDump } from "@troupe-internal/run-checker";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { expect, it, onTestFinished, vi } from "vitest";
import { Load } from "./load.ts";
import type { LoadClient } from "./load.ts";

/** Number of trials: `TROUPE_SIGTERM_TRIALS=200` asks for more. */
const trials = Number(process.env["TROUPE_SIGTERM_TRIALS"] ?? 10);
/** Tries for one trial, each of which may end with too little under way or, on a busy machine, too late. */
const maxTries = 5;
const graceMs = 400;
/** Milliseconds that a service may take after its grace period. */
const afterGraceMs = 5000;
/** One of four clients asks the agent that never finishes; half of all ask for streams. */
const clients = Array.from({ length: 20 }, (_, client): LoadClient => ({
  agent: client % 4 === 0 ? "endless" : "quick",
  mode: client % 8 < 4 ? "run" : "stream",
  sessionId: `s${client}`,
}));

it(`a service that gets SIGTERM under load, ${trials} times, ends with exit code 0 in time and leaves no half turn in its SQLite file`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-sigterm-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const random = seededRandom(20_262);

  for (let trial = 0; trial < trials; trial++) {
    const seen: Seen[] = [];
    while (!seen.some(counts) && seen.length < maxTries) {
      seen.push(await endUnderLoad(join(folder, `${trial}-${seen.length}.db`), random() * 500));
    }
    expect(seen.filter(counts), JSON.stringify(seen)).toHaveLength(1);
  }
});

/** Observations of one end: the turns under way, and how long it took. */
type Seen = { acknowledged: number; refused: number; interrupted: number; tookMs: number };

/** Returns true when there was load before and during the end, and the end came in time. */
function counts({ acknowledged, refused, interrupted, tookMs }: Seen): boolean {
  return acknowledged > 30 && refused > 1 && interrupted > 1 && tookMs < graceMs + afterGraceMs;
}

/** Starts a service, has clients ask it, sends SIGTERM some time after their first answers, and checks what is left. */
async function endUnderLoad(file: string, laterMs: number): Promise<Seen> {
  const { load, exit, tookMs, output } = await terminate(file, laterMs);
  const storage = await readFile(file);

  expect(exit, output).toEqual({ code: 0, signal: null });
  expect(check({ operations: load.operations, exchanges: [], storage, streams: load.streams })).toEqual([]);
  // Readers are told how their run ended: no stream breaks off, and only the end of the service refuses requests.
  expect(load.streams.filter(({ end }) => end !== "closed")).toEqual([]);
  expect(
    load.refusals.filter((status) => status !== 503),
    output,
  ).toEqual([]);
  const interrupted = storage.turns.filter(({ value }) => (value as Turn).status === "interrupted").length;
  return { acknowledged: load.acknowledged, refused: load.refusals.length, interrupted, tookMs };
}

/** The part of a stored turn that this test reads. */
type Turn = { status: string };

async function terminate(file: string, laterMs: number) {
  const service = new URL("./sqlite-service.ts", import.meta.url);
  const child = await TestChild.start(service, { args: [file, String(graceMs)] });
  try {
    const { port } = await child.next(isReady);
    const load = new Load(`http://127.0.0.1:${port}`);
    const asking = clients.map((client) => load.askOn(client));
    await vi.waitUntil(() => load.acknowledged > 30);
    await sleep(laterMs);

    const signalledAt = performance.now();
    const exit = await child.kill("SIGTERM");
    const tookMs = performance.now() - signalledAt;
    await Promise.all(asking);
    return { load, exit, tookMs, output: child.output.toString() };
  } finally {
    await child.close();
  }
}

function isReady(message: unknown): message is { port: number } {
  return typeof message === "object" && message !== null && "port" in message;
}

/** Reads the file, which must be sound and have no write-ahead log beside it. */
async function readFile(file: string): Promise<StorageDump> {
  expect(readdirSync(dirname(file)).filter((name) => name.endsWith("-wal"))).toEqual([]);
  const database = new DatabaseSync(file, { readOnly: true });
  expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  database.close();
  const storage = new SqliteStorage(file);
  try {
    return await dumpStorage(storage);
  } finally {
    await storage.close();
  }
}
