import { describe, expect, it } from "vitest";
import { logKey, logRecord } from "../../agents/journal/log-entry.ts";
import type { LogEntry } from "../../agents/journal/log-entry.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { EphemeralRunStorage } from "./memory-runs.ts";

const done: LogEntry = { t: "done", step: "s", value: 1, ms: 1 };

/** A record with chunks of some length, and a result. */
function recordOf(length: number): Json {
  const chunk = { type: "text", text: "x".repeat(length) };
  return logRecord([{ t: "chunks", step: "s", chunks: [chunk, chunk] }, done]) as unknown as Json;
}

/** Writes the next records of a run. */
async function write(storage: EphemeralRunStorage, runId: string, ...lengths: number[]): Promise<void> {
  const first = (await storage.list("run-log", `${runId}/`)).length + 1;
  for (const [index, length] of lengths.entries()) {
    await storage.set("run-log", logKey(runId, first + index), recordOf(length));
  }
}

/** Returns for each record the number of its events before it was cut. */
async function cutsOf(storage: EphemeralRunStorage, runId: string): Promise<unknown[]> {
  const entries = await storage.list("run-log", `${runId}/`);
  return entries.map(({ value }) => (value as { cutFrom?: number }).cutFrom);
}

/** The length of a record as JSON. */
const lengthOf = (record: Json) => JSON.stringify(record).length;

describe("the log of a run that ends with its process", () => {
  it("is whole up to the longest length, and loses the oldest chunks beyond it", async () => {
    const longest = 3 * lengthOf(recordOf(100));
    for (const [over, cuts] of [
      [-1, [undefined, undefined, undefined]],
      [0, [undefined, undefined, undefined]],
      [1, [3, undefined, undefined]],
    ] as const) {
      const storage = new EphemeralRunStorage(longest - over);
      await write(storage, "r", 100, 100, 100);
      expect(await cutsOf(storage, "r"), `${over} over`).toEqual(cuts);
    }
  });

  it("keeps the results of a record that is cut, and the number of its events", async () => {
    const storage = new EphemeralRunStorage(300);
    await write(storage, "r", 200, 50);
    expect(await storage.get("run-log", logKey("r", 1))).toEqual({ v: 1, entries: [done], cutFrom: 3 });
    expect(await storage.get("run-log", logKey("r", 2))).toEqual(recordOf(50));
  });

  it("keeps the newest record whole, however long it is", async () => {
    const storage = new EphemeralRunStorage(10);
    await write(storage, "r", 1000);
    expect(await cutsOf(storage, "r")).toEqual([undefined]);
    await write(storage, "r", 1, 2000);
    expect(await cutsOf(storage, "r")).toEqual([3, 3, undefined]);
  });

  it("counts what is left of a cut record, and cuts no more than it must", async () => {
    const [length, rest] = [
      lengthOf(recordOf(100)),
      lengthOf({ v: 1, entries: [done as unknown as Json], cutFrom: 3 }),
    ];
    for (const [longest, cuts] of [
      [2 * length + rest, [3, undefined, undefined]],
      [2 * length + rest - 1, [3, 3, undefined]],
    ] as const) {
      const storage = new EphemeralRunStorage(longest);
      await write(storage, "r", 100, 100, 100);
      expect(await cutsOf(storage, "r")).toEqual(cuts);
    }
  });

  it("has a length of its own, and a new one after it was removed", async () => {
    const storage = new EphemeralRunStorage(2 * lengthOf(recordOf(100)));
    await write(storage, "r", 100, 100);
    await write(storage, "r2", 100, 100);
    expect(await cutsOf(storage, "r")).toEqual([undefined, undefined]);

    for (const number of [1, 2]) await storage.delete("run-log", logKey("r", number));
    await write(storage, "r", 100, 100);
    expect(await cutsOf(storage, "r")).toEqual([undefined, undefined]);
    await write(storage, "r2", 100);
    // What is left of the first one counts too.
    expect(await cutsOf(storage, "r2")).toEqual([3, 3, undefined]);
  });
});

describe("the bytes of a run", () => {
  it("are those of its record, input, log and answers, as they are stored now", async () => {
    const storage = new EphemeralRunStorage(10_000);
    const changes: [string, number][] = [];
    storage.onBytes = (runId, change) => void changes.push([runId, change]);
    await storage.set("runs", "r", "é");
    await storage.set("run-input", "r/1/0", "ab");
    await storage.set("run-log", logKey("r", 1), recordOf(1));
    await storage.set("run-inbox", "r/cancelled", 1);
    for (const namespace of ["run-open", "run-by", "sessions"]) await storage.set(namespace, "r", "not counted");
    await storage.set("runs", "r2", "other");
    const log = lengthOf(recordOf(1));
    expect(storage.bytesOf("r")).toBe(4 + 4 + log + 1);
    expect(storage.bytesOf("r2")).toBe(7);

    await storage.set("runs", "r", "longer");
    await storage.delete("run-input", "r/1/0");
    expect(storage.bytesOf("r")).toBe(8 + log + 1);
    expect(changes).toEqual([
      ["r", 4],
      ["r", 4],
      ["r", log],
      ["r", 1],
      ["r2", 7],
      ["r", 4],
      ["r", -4],
    ]);
  });

  it("are fewer by what is cut, and none once all is removed", async () => {
    const storage = new EphemeralRunStorage(10);
    let sum = 0;
    storage.onBytes = (_runId, change) => (sum += change);
    await write(storage, "r", 500, 20, 300);
    const stored = await storage.list("run-log", "r/");
    const bytes = stored.reduce((total, { value }) => total + lengthOf(value), 0);
    expect([storage.bytesOf("r"), sum]).toEqual([bytes, bytes]);

    for (const { key } of stored) await storage.delete("run-log", key);
    await storage.delete("run-log", logKey("r", 9));
    expect([storage.bytesOf("r"), sum]).toEqual([0, 0]);
    expect(storage.bytesOf("toString")).toBe(0);
  });
});
