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

/** How often: a few in every check, many when somebody asks for it. */
const trials = Number(process.env["TROUPE_SIGTERM_TRIALS"] ?? 10);
const graceMs = 400;
/** What a service may take after its grace period. */
const afterGraceMs = 5000;
/** Of every four clients one asks the agent that never comes to its end; half of all want streams. */
const clients = Array.from({ length: 20 }, (_, client): LoadClient => ({
  agent: client % 4 === 0 ? "endless" : "quick",
  mode: client % 8 < 4 ? "run" : "stream",
  sessionId: `s${client}`,
}));

it(`a service that is told to end under load, ${trials} times, ends with exit code 0 in time and leaves no half turn in its SQLite file`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-sigterm-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const random = seededRandom(20_262);
  const seen = { acknowledged: 0, refused: 0, interrupted: 0 };

  for (let trial = 0; trial < trials; trial++) {
    const file = join(folder, `${trial}.db`);
    const { load, exit, tookMs, output } = await endUnderLoad(file, random() * 500);
    const storage = await readFile(file);

    expect(exit, output).toEqual({ code: 0, signal: null });
    expect(tookMs).toBeLessThan(graceMs + afterGraceMs);
    expect(check({ operations: load.operations, exchanges: [], storage, streams: load.streams })).toEqual([]);
    // Whoever reads is told how it ended: no stream breaks off, and nothing but the end of the service refuses anybody.
    expect(load.streams.filter(({ end }) => end !== "closed")).toEqual([]);
    expect(
      load.refusals.filter((status) => status !== 503),
      output,
    ).toEqual([]);
    seen.acknowledged += load.acknowledged;
    seen.refused += load.refusals.length;
    seen.interrupted += storage.turns.filter(({ value }) => (value as Turn).status === "interrupted").length;
  }

  // The load was one: there were turns that came to their end, and turns that were ended amid their work.
  expect(seen.acknowledged).toBeGreaterThan(30 * trials);
  expect(seen.refused).toBeGreaterThan(trials);
  expect(seen.interrupted).toBeGreaterThan(trials);
});

/** What this test looks at in a stored turn. */
type Turn = { status: string };

/** Starts a service, has clients ask it, and tells it to end so long after their first answers, whatever goes on then. */
async function endUnderLoad(file: string, laterMs: number) {
  const service = new URL("./sqlite-service.ts", import.meta.url);
  const child = await TestChild.start(service, { args: [file, String(graceMs)] });
  try {
    const { port } = await child.next(isReady);
    const load = new Load(`http://127.0.0.1:${port}`);
    const asking = clients.map((client) => load.askOn(client));
    await vi.waitUntil(() => load.acknowledged > clients.length, { timeout: 15_000 });
    await sleep(laterMs);

    const toldAt = performance.now();
    const exit = await child.kill("SIGTERM");
    const tookMs = performance.now() - toldAt;
    await Promise.all(asking);
    return { load, exit, tookMs, output: child.output.toString() };
  } finally {
    await child.close();
  }
}

function isReady(message: unknown): message is { port: number } {
  return typeof message === "object" && message !== null && "port" in message;
}

/** What is in the file: it is whole, and nothing beside it waits to be written into it. */
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
