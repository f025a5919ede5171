import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { Journal } from "./journal.ts";
import type { LogEntry } from "./log-entry.ts";
import { LogWriter } from "./log-writer.ts";
import { inEveryOrder } from "./test/every-order.ts";
import { entriesIn, journaledRunId } from "./test/journals.ts";
import { readLog } from "./read-log.ts";
import { RunPaused } from "../run/run-paused.ts";

/** The calls of the tool, by the attempt that made each. */
type World = { effects: string[]; ends: string[] };

/** A small run as one attempt performs it: text, a tool with an effect that must not be repeated, and the end. Both attempts write the same. */
async function perform(storage: StorageDriver, name: string, { world, writer }: { world: World; writer?: LogWriter }) {
  try {
    await attempt(await begin(storage, writer), name, world);
  } catch (error) {
    if (!(error instanceof RunPaused)) throw error;
  }
}

/** Both attempts are of one process: nothing but the log tells them apart. */
async function begin(storage: StorageDriver, writer = new LogWriter(storage)): Promise<Journal> {
  return await Journal.open({ runId: journaledRunId, storage, writer, node: "node", print: "" });
}

async function attempt(journal: Journal, name: string, world: World): Promise<void> {
  if (journal.durable.ended !== undefined) return;
  if (journal.stored("m/0") === undefined) {
    const step = journal.begin("m/0");
    const chunk = { type: "text", text: "hello" };
    step.tag(chunk);
    void journal.durable.writeChunk(chunk);
    step.done("hello");
  }
  if (journal.stored("t/0/0") === undefined) {
    const step = journal.begin("t/0/0");
    if (journal.callOf("t/0/0") === undefined) {
      await journal.call("t/0/0", { tool: "send", args: {}, effect: "once", key: "k" });
      world.effects.push(name);
    }
    step.done("sent");
  }
  await journal.durable.end({ output: "hello" });
  world.ends.push(name);
}

/** Asserts that the log is that of one run, whose parts are each of one attempt, and that it was over once. */
async function checkLog(storage: StorageDriver, { effects, ends }: World, order: string): Promise<void> {
  const numbers: number[] = [];
  for await (const page of readLog(storage, journaledRunId)) numbers.push(...page.map(({ number }) => number));
  const entries = await entriesIn(storage);
  const of = <Type extends LogEntry["t"]>(type: Type) =>
    entries.filter((entry): entry is Extract<LogEntry, { t: Type }> => entry.t === type);
  const context = `${order}: ${JSON.stringify(entries)}`;

  expect(numbers, context).toEqual(numbers.map((_, index) => index + 1));
  expect(
    of("attempt").map(({ n }) => n),
    context,
  ).toEqual(of("attempt").map((_, index) => index + 1));
  expect(of("end"), context).toHaveLength(1);
  expect(entries.at(-1)?.t, context).toBe("end");
  expect(ends, context).toHaveLength(1);
  expect(effects.length, context).toBeLessThanOrEqual(1);
  for (const step of ["m/0", "t/0/0"]) {
    expect(
      of("done").filter((done) => done.step === step),
      context,
    ).toHaveLength(1);
  }
}

const drivers: [name: string, create: () => StorageDriver][] = [
  ["insertAll", () => new InMemoryStorage()],
  ["compareAndSet alone", () => Object.assign(new InMemoryStorage(), { insertAll: undefined }) as StorageDriver],
];

describe.each(drivers)("two attempts at a run over storage with %s", (_, create) => {
  it("end it once, in whatever order their calls of the storage are made [run-log.fence]", async () => {
    let storage = create();
    let world: World = { effects: [], ends: [] };
    const orders = await inEveryOrder(
      (connect) => {
        [storage, world] = [create(), { effects: [], ends: [] }];
        return ["one", "other"].map(async (name) => await perform(connect(storage), name, { world }));
      },
      async (order) => await checkLog(storage, world, order),
    );

    expect(orders).toBeGreaterThan(20);
  });

  it("end it once when they share the writer of their process", async () => {
    let storage = create();
    let world: World = { effects: [], ends: [] };
    await inEveryOrder(
      (connect) => {
        [storage, world] = [create(), { effects: [], ends: [] }];
        const writer = new LogWriter(storage);
        return ["one", "other"].map(async (name) => await perform(connect(storage), name, { world, writer }));
      },
      async (order) => await checkLog(storage, world, order),
    );
  });

  it.each([1, 2, 3, 4, 5, 6])("end it once when the answer to write %i of the first is lost", async (lost) => {
    let storage = create();
    let world: World = { effects: [], ends: [] };
    await inEveryOrder(
      (connect) => {
        [storage, world] = [create(), { effects: [], ends: [] }];
        let writes = 0;
        const losing = faultyStorage(storage, ({ method }) => {
          const isWrite = method === "insertAll" || method === "compareAndSet";
          return isWrite && ++writes === lost ? "fail-after" : undefined;
        });
        return [perform(connect(losing), "one", { world }), perform(connect(storage), "other", { world })];
      },
      async (order) => await checkLog(storage, world, order),
    );
  });
});
