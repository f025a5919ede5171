import { afterEach, describe, expect, it } from "vitest";
import { Attempt } from "../../agents/journal/attempt.ts";
import { Journal } from "../../agents/journal/journal.ts";
import type { LogRecord } from "../../agents/journal/log-entry.ts";
import type { RunWait } from "../../agents/run/run-wait.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { RunEnds, RunSuspension } from "../performer/run-ends.ts";
import { RunningNote } from "../performer/running-note.ts";
import { partsOf, record } from "../processes/test/parts.ts";
import { putAnswer, putCancel } from "../record/answers.ts";
import { RunStore } from "../record/run-store.ts";
import { transitions, writeOrders } from "../record/run-writes.ts";
import type { TransitionName } from "../record/run-writes.ts";
import { RunWriteRecorder } from "../../testing/run-write-recorder.ts";
import { answerWait } from "./run-commands.ts";
import { RunService } from "./run-service.ts";
import { askingRunnable } from "./test/asking-runnable.ts";
import { fakeClock, soon } from "./test/services.ts";

const first: LogRecord = Attempt.firstRecord({ node: "here", print: "" });
const wait: RunWait = { id: "w", kind: "approval", about: null };
const long = { ...record, input: "x".repeat(40_000) };

/** A storage whose writes are compared with the table, and what the scenes need of a service. */
function world() {
  const recorder = new RunWriteRecorder();
  const storage = recorder.watch(new InMemoryStorage());
  const runnable = Object.assign(askingRunnable(), {
    sessions: {
      endWait: async () => {
        const log = JSON.stringify(await storage.list("run-log"));
        if (log.includes('"t":"end"')) recorder.violations.push("end.session: after the end of the log");
      },
    },
  });
  const { parts } = partsOf({ agents: { a: runnable } }, { storage });
  return { recorder, storage, parts, store: parts.store, agents: { a: runnable } };
}

type World = ReturnType<typeof world>;

async function openJournal({ parts }: World): Promise<Journal> {
  const { store, writer } = parts;
  return await Journal.open({ runId: "r", storage: store.storage, writer, node: "here", print: "" });
}

/** Stores a run that waits, off the list of open runs. */
async function storeWaiting({ store, storage }: World): Promise<void> {
  await store.insert(record, first);
  await storage.compareAndSet("run-log", "r/000000000002", null, {
    v: 1,
    entries: [{ t: "wait", wait, performedMs: 0 }],
  });
  await store.suspend({ runId: "r", attempts: 1 }, [wait]);
  await storage.delete("run-open", "r");
}

async function storeEnded(of: World, run = record): Promise<void> {
  await of.store.insert(run);
  await (await openJournal(of)).durable.end({ output: null });
  await of.store.finish("r", { status: "completed", output: null });
}

/** The scene of each transition whose writes the code of a service makes. */
const scenes: { readonly [Name in TransitionName]?: (of: World) => Promise<unknown> } = {
  accept: async ({ store }) => await store.insert({ ...record, expiresAt: 5 }, first),
  acceptLong: async ({ store }) => await store.insert(long),
  suspend: async (of) => {
    await of.store.insert(record);
    const journal = await openJournal(of);
    journal.wait("w", { kind: "approval", about: null }).catch(() => undefined);
    await journal.flush();
    const running = { attempts: 1, node: "here", startedAt: 1, plan: record.plan };
    const suspension = new RunSuspension(of.parts, () => undefined);
    await suspension.suspend(record, journal.durable, new RunningNote(of.store, record, running));
    journal.durable.stop("released");
  },
  waitForUpgrade: async (of) => {
    await of.store.insert(record);
    const suspension = new RunSuspension(of.parts, () => undefined);
    await suspension.waitForUpgrade(record, { ...wait, kind: "upgrade" });
  },
  answer: async (of) => {
    await storeWaiting(of);
    const found = await of.store.read("r");
    if (found !== null) await answerWait(of.parts, found, { waitId: "w", answer: { approved: true } });
  },
  wake: async (of) => {
    await storeWaiting(of);
    await of.store.openRuns.hold({ ...record, status: "waiting" });
    await putAnswer(of.storage, { runId: "r", waitId: "w" }, { approved: true });
    await of.store.wake("r");
  },
  cancel: async (of) => {
    await storeWaiting(of);
    const service = new RunService({ storage: of.storage, agents: of.agents, now: () => 1 });
    await soon(service.cancel("r", "host"));
    await soon(service.close());
  },
  end: async (of) => {
    await of.store.insert(record);
    await openJournal(of);
    const journal = await openJournal(of);
    await new RunEnds(of.parts).end(record, journal.durable, new TroupeError("crashed", "Over."));
  },
  settle: async (of) => await storeEnded(of),
  notify: async (of) => await storeEnded(of, { ...record, webhook: "receiver" }),
  remove: async (of) => {
    await of.store.insert({ ...long, isSubscribed: true, hasDeliveries: true });
    await putCancel(of.storage, "r", undefined);
    await of.storage.set("run-subscriptions", "open/r/one", { v: 1 });
    await of.storage.set("run-deliveries", "r/000000000000001.msg_1", { v: 1 });
    const stored = await of.store.read("r");
    if (stored !== null) await of.store.lists.remove(stored);
  },
  removeEntries: async (of) => {
    await of.store.insert(record);
    await of.store.lists.remove(record);
  },
  dropOrphan: async ({ storage }) => {
    let now = 1000;
    const store = new RunStore(storage, () => now, true);
    const insertAll = storage.insertAll.bind(storage);
    storage.insertAll = async (writes) => {
      await insertAll(writes.slice(0, -1));
      throw new Error("The process died before it stored the record.");
    };
    await store.insert(long).catch(() => undefined);
    await store.lists.closeOrphan("r");
    now += 100_000;
    await store.lists.closeOrphan("r");
  },
};

afterEach(() => {
  for (const [name, { writes }] of Object.entries(transitions)) writeOrders.set(name, writes);
});

/** Plays a scene. Returns what the table does not allow, or what is missing afterwards. */
async function play(name: TransitionName): Promise<string[]> {
  fakeClock();
  const made = world();
  const scene = scenes[name];
  try {
    await soon(scene?.(made) ?? Promise.resolve());
  } catch (error) {
    return [`${name} failed: ${String(error)}`];
  }
  const isSettled = name === "dropOrphan" || made.recorder.isComplete(name, "r");
  const isGone = name !== "dropOrphan" || (await made.storage.list("run-open")).length === 0;
  return [...made.recorder.violations, ...(isSettled && isGone ? [] : [`${name} is not complete`])];
}

const swaps = (Object.keys(scenes) as TransitionName[]).flatMap((name) => {
  const { writes, free = [] }: { writes: readonly string[]; free?: readonly string[] } = transitions[name];
  // The journal writes the entry of a wait, before the code of a suspension begins.
  const own = writes.filter((write) => !(name === "suspend" && write === "wait"));
  return own.flatMap((one, index) =>
    own
      .slice(index + 1)
      .filter((other) => !(free.includes(one) && free.includes(other)))
      .map((other) => [name, one, other] as const),
  );
});

describe("the writes of a run in the storage", () => {
  it.each(Object.keys(scenes) as TransitionName[])("follow the table of transitions: %s", async (name) => {
    expect(await play(name)).toEqual([]);
  });

  it.each(swaps)("are refused by the table if the code swaps two of them: %s, %s and %s", async (name, one, other) => {
    const order = [...(transitions[name].writes as readonly string[])];
    const [at, to] = [order.indexOf(one), order.indexOf(other)];
    writeOrders.set(name, order.with(at, other).with(to, one));

    expect(await play(name)).not.toEqual([]);
  });
});
