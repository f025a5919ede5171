import { describe, expect, it } from "vitest";
import type { RunWait } from "../../agents/run/run-wait.ts";
import type { RunRecord } from "../record/run-record.ts";
import { RunStore } from "../record/run-store.ts";
import { contentsOf, watchedStorage } from "../record/test/contents.ts";
import { newRecord } from "../record/test/run-records.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { answerWait } from "./run-commands.ts";

const wait: RunWait = { id: "t.0", kind: "approval", about: null, until: 1000 };
const yes = { approved: true };

async function scene(given: Partial<RunRecord> = {}, now = 999) {
  const inner = new InMemoryStorage();
  const calls: string[] = [];
  const record = newRecord({ runId: "r1", createdAt: 4, status: "waiting", waits: [wait], ...given });
  const store = new RunStore(
    watchedStorage(inner, (call) => calls.push(call)),
    () => now,
  );
  await store.insert(record);
  calls.length = 0;
  const answer = async (value: Json = yes, waitId = "t.0") =>
    await answerWait({ store, now: () => now }, record, { waitId, answer: value });
  return { storage: inner, calls, answer, store, record };
}

describe("answerWait", () => {
  it("lists the run as open, stores the answer, and then wakes the run", async () => {
    const { storage, calls, answer } = await scene();
    expect(await answer()).toMatchObject({ runId: "r1", status: "queued", activation: 2 });
    expect(await storage.get("run-inbox", "r1/t.0")).toEqual({ v: 1, answer: yes });
    const writes = calls.filter((call) => !call.startsWith("get"));
    expect(writes).toEqual([
      "compareAndSet run-open r1",
      "compareAndSet run-inbox r1/t.0",
      "compareAndSet runs r1",
      "compareAndSet run-open r1",
    ]);
  });

  it("stores the answer for a run that is about to stop, and wakes nothing", async () => {
    const { storage, calls, answer } = await scene({ status: "running" });
    expect(await answer()).toBeNull();
    expect(await storage.get("run-inbox", "r1/t.0")).toEqual({ v: 1, answer: yes });
    // The run may be suspended, and this process may die, before it can be woken.
    const writes = calls.filter((call) => /run-open|run-inbox|^(set|compareAndSet) runs/.test(call));
    expect(writes.filter((call) => !/^(get|list)/.test(call))).toEqual([
      "compareAndSet run-open r1",
      "compareAndSet run-inbox r1/t.0",
    ]);
  });

  it("wakes a run again whose answer is there, and refuses another answer", async () => {
    const { answer, store } = await scene();
    await answer();
    await store.suspend({ runId: "r1", attempts: 0 }, [wait]);
    expect(await answer()).toMatchObject({ activation: 3 });
    await expect(answer({ approved: false })).rejects.toMatchObject({ code: "conflict" });
  });

  it.each<
    [what: string, given: Partial<RunRecord>, now: number, waitId: string, refusal: [code: string, message: string]]
  >([
    ["of no such wait", {}, 0, "t.1", ["not_found", 'The run has no wait "t.1".']],
    ["of a long name", {}, 0, "x".repeat(257), ["not_found", `The run has no wait "${"x".repeat(256)}".`]],
    [
      "to a run that is over",
      { status: "completed" },
      0,
      "t.1",
      ["conflict", "The run is over: it takes no more answers."],
    ],
    [
      "to a wait of a run that is over",
      { status: "error" },
      0,
      "t.0",
      ["conflict", "The run is over: it takes no more answers."],
    ],
    ["that comes at the end of its time", {}, 1000, "t.0", ["conflict", "The time for this answer is over."]],
  ])("stores nothing of an answer %s", async (_what, given, ...[now, waitId, [code, message]]) => {
    const { answer, storage } = await scene(given, now);
    const before = await contentsOf(storage);
    await expect(answer(yes, waitId)).rejects.toMatchObject({ code, message });
    expect(await contentsOf(storage)).toEqual(before);
  });

  it("stores nothing of an answer that does not fit, whenever it comes", async () => {
    for (const now of [0, 1000]) {
      const { answer, storage } = await scene({}, now);
      const before = await contentsOf(storage);
      await expect(answer({ choice: "again" })).rejects.toMatchObject({ code: "invalid_request" });
      expect(await contentsOf(storage)).toEqual(before);
    }
  });

  it.each<[what: string, given: Partial<RunRecord>, now: number]>([
    ["is over", { status: "completed" }, 0],
    ["waits no longer", {}, 1000],
  ])("takes the same answer again of a run that %s, and changes nothing", async (_what, given, now) => {
    const { answer, storage } = await scene(given, now);
    await storage.set("run-inbox", "r1/t.0", { v: 1, answer: yes });
    const before = await contentsOf(storage);
    expect(await answer()).toBeNull();
    await expect(answer({ approved: false })).rejects.toMatchObject({ code: "conflict" });
    expect(await contentsOf(storage)).toEqual(before);
  });
});
