import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { askingRunnable, runnableOf } from "./test/asking-runnable.ts";
import { logRecord } from "../../agents/journal/log-entry.ts";
import { putAnswer, putCancel } from "../record/answers.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { now, record } from "../processes/test/parts.ts";
import { attempt, expectPause, job, processOf, talking } from "./test/performing.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a job", () => {
  it("performs its run to the end, with this process in the record, and is off the list", async () => {
    const { perform, read, open, logged, parts, performing } = await processOf(talking);
    const handOver = vi.spyOn(parts.tails, "handOver");
    parts.begun.set("other", {} as never);
    expect(await perform()).toBeUndefined();
    expect(await read()).toMatchObject({
      status: "completed",
      attempts: 1,
      node: "here",
      startedAt: now,
      endedAt: now,
      output: { text: "Hi." },
    });
    await parts.store.flush();
    expect(await open()).toEqual([]);
    expect((await logged()).map(({ t }) => t)).toEqual(["attempt", "chunks", "end"]);
    expect(handOver).toHaveBeenCalledExactlyOnceWith("r");
    expect([performing.size, parts.begun.size]).toEqual([0, 1]);
  });

  it("a job of a run that is not there is dropped, and the operator is told", async () => {
    const { perform, lines } = await processOf(talking, { run: null });
    expect(await perform()).toBeUndefined();
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ level: "warn", runId: "r" }]);
  });

  it("a job of a run that is over takes it off the list, and performs nothing", async () => {
    const { perform, open, parts, logged } = await processOf(talking);
    const stored = (await parts.store.read("r")) ?? record;
    await parts.store.change("r", () => ({ ...stored, status: "completed", endedAt: 5 }));
    expect(await perform()).toBeUndefined();
    await parts.store.flush();
    expect([await open(), await logged()]).toEqual([[], []]);
  });

  it.each([
    [2, 0],
    [3, 0],
    [1, 1],
  ])("older than its run, of which the list knows the activation %d, submits it again %d times", async (...row) => {
    const [activation, times] = row;
    const { perform, parts, resubmit, logged, storage, read } = await processOf(talking, { run: { activation: 2 } });
    await parts.store.openRuns.add({ ...record, activation });
    const run = await read();
    await perform();
    expect(resubmit.mock.calls).toEqual(Array.from({ length: times }, () => [run]));
    expect(await logged()).toEqual([]);
    const [entry] = await storage.list("run-open");
    expect(entry?.value).toMatchObject({ activation: Math.max(2, activation) });
  });

  it("a job of a run that this process performs is handed back, for longer each time", async () => {
    const { perform, performing } = await processOf(talking);
    const other = { done: Promise.resolve(), cancel: () => {} };
    performing.set("r", other);
    for (const ms of [1000, 2000, 3000, 4000, 5000, 5000]) expectPause(await perform(), ms);
    expect(performing.get("r")).toBe(other);
    performing.clear();
    expect(await perform()).toBeUndefined();
    performing.set("r", other);
    expectPause(await perform(), 1000);
  });

  it("is no attempt when it is to be handed back before it has begun", async () => {
    const { perform, logged, read } = await processOf(talking);
    expect(await perform(job, AbortSignal.abort())).toBeUndefined();
    expect(await logged()).toEqual([]);
    expect(await read()).toMatchObject({ status: "queued", attempts: 0 });
  });
});

describe("a run that waits", () => {
  const waits = [{ id: "t.0.0", kind: "approval" as const, about: {} }];
  const waiting = { run: { status: "waiting" as const, attempts: 1, waits }, log: [[attempt(1)]] };

  it("goes on with its answer", async () => {
    const { perform, read, parts } = await processOf(askingRunnable(), waiting);
    await putAnswer(parts.store.storage, { runId: "r", waitId: "t.0.0" }, { approved: true });
    await perform();
    expect(await read()).toMatchObject({ status: "completed", attempts: 2, output: { text: '{"approved":true}' } });
  });

  it("is not performed before its time, and taken off the list", async () => {
    const { perform, read, open, logged } = await processOf(askingRunnable(), waiting);
    expect(await perform()).toBeUndefined();
    expect(await read()).toMatchObject({ status: "waiting", attempts: 1 });
    expect([await open(), (await logged()).length]).toEqual([[], 1]);
  });

  it("ends when it was cancelled, with the reason, or when its time is over", async () => {
    const cancelled = await processOf(askingRunnable(), waiting);
    await putCancel(cancelled.parts.store.storage, "r", "Enough.");
    expect(await cancelled.perform()).toBeUndefined();
    const error = { code: "cancelled", message: "The run was cancelled: Enough." };
    expect(await cancelled.read()).toMatchObject({ status: "cancelled", error });

    const late = await processOf(askingRunnable(), { ...waiting, run: { ...waiting.run, waitsUntil: now } });
    expect(await late.perform()).toBeUndefined();
    expect(await late.read()).toMatchObject({ status: "error", error: { code: "timeout" } });
  });

  it("is stored with its question, which its attempt has come to", async () => {
    const { perform, read, open } = await processOf(askingRunnable());
    expect(await perform()).toBeUndefined();
    expect(await read()).toMatchObject({ status: "waiting", attempts: 1, waits: [{ id: "t.0.0", kind: "approval" }] });
    expect(await open()).toEqual([]);
  });

  it("a run that waits for what is gone waits for it, and is cancelled when it is given up, or left to a process that fits", async () => {
    const run = { status: "running" as const, attempts: 1 };
    const gone = await processOf(undefined, { run, log: [[attempt(1)]] });
    expect(await gone.perform()).toBeUndefined();
    const [wait] = (await gone.read())?.waits ?? [];
    expect(wait).toMatchObject({ kind: "upgrade", about: { name: "a", missing: ["The agent a is gone."] } });
    await putAnswer(gone.parts.store.storage, { runId: "r", waitId: wait?.id ?? "" }, { choice: "giveUp" });
    await gone.perform();
    const error = { code: "cancelled", message: "The run was cancelled: What it needs is gone." };
    expect(await gone.read()).toMatchObject({ status: "cancelled", error });

    const left = await processOf(undefined, { run, log: [[attempt(1)]] });
    vi.spyOn(left.parts.nodes, "someOther").mockResolvedValue(true);
    expectPause(await left.perform(), 1000);
    expect(await left.read()).toMatchObject({ status: "running" });
  });
});

describe("a run that another attempt had", () => {
  const running = { run: { status: "running" as const, attempts: 1 }, log: [[attempt(1)]] };

  it("goes on when that writes no more, and is handed back while it does", async () => {
    const dead = await processOf(talking, running);
    expect(await dead.perform()).toBeUndefined();
    expect(await dead.read()).toMatchObject({ status: "completed", attempts: 2 });

    const alive = await processOf(talking, running);
    setTimeout(() => void alive.storage.set("run-log", "r/000000000002", logRecord([]) as unknown as Json), 150);
    expectPause(await alive.perform(), 1000);
    expect(await alive.logged()).toHaveLength(1);
  });

  it("is cancelled although its record does not know of that attempt", async () => {
    const { perform, read, parts } = await processOf(talking, { log: [[attempt(1)]] });
    await putCancel(parts.store.storage, "r", "Enough.");
    await perform();
    expect(await read()).toMatchObject({ status: "cancelled", attempts: 2, error: { code: "cancelled" } });
  });

  it("is left to another one that comes meanwhile, and has no end of this one", async () => {
    const agent = runnableOf(async function* () {
      await overtake();
      yield { type: "text", text: "Hi." };
      return "Hi.";
    });
    const { perform, read, storage, logged } = await processOf(agent);
    const overtake = async (): Promise<void> =>
      await storage.set("run-log", "r/000000000002", logRecord([attempt(2)]) as unknown as Json);
    expect(await perform()).toBeUndefined();
    expect((await read())?.endedAt).toBeUndefined();
    expect((await logged()).map(({ t }) => t)).toEqual(["attempt", "attempt"]);
  });

  it("has the end that its log has, with the attempts there", async () => {
    const { perform, read } = await processOf(talking, {
      ...running,
      log: [[attempt(1)], [attempt(2), { t: "end", output: { text: "Before." } }]],
    });
    await perform();
    expect(await read()).toMatchObject({ status: "completed", attempts: 2, node: "gone", output: { text: "Before." } });
  });

  it.each([
    [2, "completed", undefined],
    [3, "error", "crashed"],
  ])("%d times in vain is %s", async (times, status, code) => {
    const log = Array.from({ length: times }, (_, index) => [attempt(index + 1)]);
    const { perform, read } = await processOf(talking, { ...running, log });
    await perform();
    const { error, ...stored } = (await read()) ?? record;
    expect(stored).toMatchObject({ status, attempts: times + 1 });
    expect(error?.code).toBe(code);
  });
});
