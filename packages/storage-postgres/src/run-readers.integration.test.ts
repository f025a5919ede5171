import { Agent, InMemoryStorage, RunService } from "@troupe/core";
import type { RunEvent } from "@troupe/core";
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

  it("reaches a reader on another storage although every notification is lost", async () => {
    const schema = newSchema();
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
    const services = await open(new PostgresStorage({ pool }, { schema }), new PostgresStorage(serverUrl, { schema }));

    expect(await stream(services)).toBe(words.join(""));
    expect(notified).toHaveBeenCalled();
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
