import { monitorEventLoopDelay } from "node:perf_hooks";
import { Agent, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { RunEvent } from "@troupe/core/runs";
import type { StorageEntry } from "@troupe/core/storage";
import { ScriptedModel } from "@troupe/core/testing";
import pg from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ask, poolerUrl, serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PostgresStorage } from "./postgres-storage.ts";

const newSchema = testSchemas();
const newPoolerSchema = testSchemas(poolerUrl);
const words = Array.from({ length: 40 }, (_, index) => `${index} `);

/** A service that performs runs, and another one that reads them, as two processes have them. */
async function open(writing: PostgresStorage, reading: PostgresStorage) {
  onTestFinished(async () => void (await Promise.all([writing.close(), reading.close()])));
  const makeService = (storage: PostgresStorage): RunService => {
    const model = new ScriptedModel().respond(() => ({ text: words, chunkDelayMs: 25 }));
    return new RunService({ storage, agents: { a: new Agent({ name: "a", model, storage: new InMemoryStorage() }) } });
  };
  const [performer, reader] = [makeService(writing), makeService(reading)];
  onTestFinished(async () => void (await Promise.all([performer.close(), reader.close()])));
  await performer.serve();
  return { performer, reader };
}

/** Performs a run with one service, and returns what a reader of the other one gets, calling back at each event. */
async function stream(
  { performer, reader }: { performer: RunService; reader: RunService },
  onEvent: (event: RunEvent) => Promise<void> = async () => {},
): Promise<string> {
  const { runId } = await performer.accept({ kind: "agent", name: "a", input: "Go." });
  let text = "";
  for await (const event of reader.events(runId, "host")) {
    if (event.type === "chunk" && "text" in event.chunk) text += event.chunk.text;
    await onEvent(event);
  }
  return text;
}

/** A measurement of how late one storage read what another one had stored, in milliseconds. */
type Delays = {
  /** From the storing of each record of a run's log to its first reading. */
  readonly ofRecords: readonly number[];
  /** The longest that the machine kept the event loop, or a look, waiting. */
  readonly ofMachine: number;
};

/** Measures the delays of a run's records from now until the returned function is called. */
function measureDelays(writing: PostgresStorage, reading: PostgresStorage): () => Delays {
  const loop = monitorEventLoopDelay({ resolution: 10 });
  loop.enable();
  const storedAt = new Map<string, number>();
  const readAt = new Map<string, number>();
  let longestLook = 0;
  const look = async <Found extends StorageEntry[] | StorageEntry[][]>(found: Promise<Found>): Promise<Found> => {
    const start = performance.now();
    const entries = await found;
    const end = performance.now();
    longestLook = Math.max(longestLook, end - start);
    for (const { key } of entries.flat()) if (!readAt.has(key)) readAt.set(key, end);
    return entries;
  };
  const insertAll = writing.insertAll.bind(writing);
  const [list, listMany] = [reading.list.bind(reading), reading.listMany.bind(reading)];
  Object.assign(writing, {
    insertAll: async (...[writes]: Parameters<typeof insertAll>) => {
      const inserted = await insertAll(writes);
      for (const { namespace, key } of writes) if (namespace === "run-log") storedAt.set(key, performance.now());
      return inserted;
    },
  });
  Object.assign(reading, {
    list: async (...given: Parameters<typeof list>) => await look(list(...given)),
    listMany: async (...given: Parameters<typeof listMany>) => await look(listMany(...given)),
  });
  return () => {
    loop.disable();
    const ofRecords = [...storedAt].map(([key, at]) => (readAt.get(key) ?? Infinity) - at);
    return { ofRecords, ofMachine: Math.max(longestLook, loop.max / 1e6) };
  };
}

describe.skipIf(serverUrl === "")("A run over PostgresStorage", { timeout: 60_000 }, () => {
  it("reaches a reader on another storage whose listening connection is ended meanwhile", async () => {
    const schema = newSchema();
    const reading = new PostgresStorage(`${serverUrl}?application_name=cut_reader`, { schema });
    const services = await open(new PostgresStorage(serverUrl, { schema }), reading);
    const listening = `from pg_stat_activity where application_name = 'cut_reader' and query ~ '^(listen|select 1)'`;
    onTestFinished(reading.watch("run-log", () => {}));
    await vi.waitFor(async () => expect(await ask(`select pid ${listening}`)).toHaveLength(1), { timeout: 20_000 });
    let ended = 0;
    const text = await stream(services, async () => {
      if (ended === 0) ended += (await ask(`select pg_terminate_backend(pid) ${listening}`)).length;
    });

    expect(text).toBe(words.join(""));
    expect(ended).toBe(1);
  });

  it("reaches a reader on another storage at most about a second late although every notification is lost", async () => {
    const pool = new pg.Pool({ connectionString: serverUrl });
    const notified = vi.fn<() => void>();
    pool.on("connect", (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => unknown;
      const lossy = (...given: [{ text?: string }, ...unknown[]]): unknown => {
        if (given[0].text !== "select pg_notify($1, '')") return query(...given);
        notified();
        return Promise.resolve({ rows: [] });
      };
      Object.assign(client, { query: lossy });
    });
    onTestFinished(async () => await pool.end());
    const measure = async (): Promise<Delays> => {
      const schema = newSchema();
      const [writing, reading] = [
        new PostgresStorage({ pool }, { schema }),
        new PostgresStorage(serverUrl, { schema }),
      ];
      const services = await open(writing, reading);
      const delays = measureDelays(writing, reading);
      expect(await stream(services)).toBe(words.join(""));
      return delays();
    };
    let delays = await measure();
    // The delays of a machine that is busy say nothing about those of the storage.
    for (let again = 0; again < 5 && delays.ofMachine > 100; again += 1) delays = await measure();

    expect(notified).toHaveBeenCalled();
    expect(delays.ofRecords.length).toBeGreaterThan(10);
    // A look may begin just before a record is stored, and the next one ends behind it.
    expect(Math.max(...delays.ofRecords)).toBeLessThan(1000 + 3 * Math.max(100, delays.ofMachine));
  });
});

/** The warnings of this process from now on. */
function listenToWarnings(): string[] {
  const messages: string[] = [];
  const listener = ({ message }: Error): void => void messages.push(message);
  process.on("warning", listener);
  onTestFinished(() => void process.off("warning", listener));
  return messages;
}

describe.skipIf(poolerUrl === "")("A run over PostgresStorage behind a pooler in transaction mode", () => {
  it("reaches a reader on another storage, and one warning says that no notifications come", async () => {
    const warnings = listenToWarnings();
    const schema = newPoolerSchema();
    const pool = new pg.Pool({ connectionString: poolerUrl });
    onTestFinished(async () => await pool.end());
    const services = await open(new PostgresStorage({ pool }, { schema }), new PostgresStorage({ pool }, { schema }));

    expect(await stream(services)).toBe(words.join(""));
    await vi.waitFor(() => expect(warnings).toHaveLength(1), { timeout: 20_000 });
    expect(warnings[0]).toContain("a pooler in transaction mode stands between");
    expect(await stream(services)).toBe(words.join(""));
    expect(warnings).toHaveLength(1);
  });
});
