import { expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { SmallRecords } from "../../sessions/storage/test/small-records.ts";
import { toldCalls } from "../../sessions/storage/test/told-calls.ts";
import { LogWriter } from "./log-writer.ts";
import { logKey, logRecord } from "./log-entry.ts";
import type { LogEntry } from "./log-entry.ts";
import { readLog } from "./read-log.ts";
import type { RunPaused } from "../run/run-paused.ts";

const runId = "5b1e9f3c-0000-4000-8000-000000000001";

function entry(index: number, chars: number): LogEntry {
  return { t: "done", step: `t/0/${index}`, value: "x".repeat(chars), ms: 0 };
}

it("LogWriter writes entries in several records that are too large for one, in their order and without gaps", async () => {
  const storage = new SmallRecords(1000);
  const log = new LogWriter(storage).open(runId, 1);
  const entries = [300, 10, 800, 200, 300, 10, 10].map((chars, index) => entry(index, chars));
  for (const each of entries) log.add(each);
  await log.stored();
  log.add(entry(7, 10), true);
  await log.stored();

  const written: LogEntry[] = [];
  for await (const page of readLog(storage, runId)) for (const { record } of page) written.push(...record.entries);
  expect(written).toEqual([...entries, entry(7, 10)]);
});

it("LogWriter gives an entry up at once that the storage does not take, and writes those of other runs", async () => {
  const storage = new SmallRecords(1000);
  const writer = new LogWriter(storage);
  const [log, other] = [writer.open(runId, 1), writer.open(`${runId.slice(0, -1)}2`, 1)];
  const failures: RunPaused[] = [];
  log.onFailure = (reason) => void failures.push(reason);
  log.add(entry(0, 2000), true);
  other.add(entry(0, 20), true);

  await expect(log.stored()).rejects.toMatchObject({ reason: "failed", cause: { code: "invalid_value" } });
  await other.stored();
  expect(failures).toHaveLength(1);
  // One of each run.
  expect(storage.tries).toBe(2);
});

it("LogWriter ends a log whose record another attempt has written, once, and writes nothing of it after that", async () => {
  const storage = new InMemoryStorage();
  const theirs = logRecord([entry(9, 10)]) as unknown as Json;
  await storage.set("run-log", logKey(runId, 1), theirs);
  const log = new LogWriter(storage).open(runId, 1);
  const failures: RunPaused[] = [];
  log.onFailure = (reason) => void failures.push(reason);
  log.add(entry(0, 10), true);
  await expect(log.stored()).rejects.toMatchObject({ reason: "overtaken" });
  log.add(entry(1, 10), true);
  await expect(log.stored()).rejects.toMatchObject({ reason: "overtaken" });
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);

  expect(failures).toMatchObject([{ reason: "overtaken" }]);
  expect(await storage.list("run-log")).toEqual([{ key: logKey(runId, 1), value: theirs }]);
});

it("LogWriter writes the urgent entries of several runs with one request, and asks for nothing without entries", async () => {
  const storage = new InMemoryStorage();
  const { driver, calls } = toldCalls(storage);
  const writer = new LogWriter(driver);
  const [one, two] = [writer.open("r1", 1), writer.open("r2", 4)];
  for (const log of [one, two, one]) log.add(entry(0, 10), true);
  await Promise.all([one.stored(), two.stored()]);
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);

  expect(calls).toEqual(["insertAll +run-log r1/000000000001, +run-log r2/000000000004"]);
  expect(await storage.get("run-log", "r1/000000000001")).toMatchObject({ entries: [{ t: "done" }, { t: "done" }] });
});
