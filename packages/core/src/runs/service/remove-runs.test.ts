import { describe, expect, it } from "vitest";
import { RunStore } from "../record/run-store.ts";
import { idsOf, newRecord } from "../record/test/run-records.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { removeRuns } from "./run-removal.ts";
import { makeService, readEvents, request, scriptedAgent, serveRuns, untilStatus } from "./test/services.ts";

const prefixes = ["-/bob/open/", "-/bob/error/"];

describe("the removal of an owner's runs", () => {
  it("leaves a run of another owner whose id one of this owner's had", async () => {
    const storage = new InMemoryStorage();
    const store = new RunStore(storage, () => 0);
    await store.insert(newRecord({ runId: "r1", createdAt: 2 }));
    for (const prefix of prefixes) await storage.set("run-by", `${prefix}999999999999998.r1`, { v: 1 });
    await removeRuns(store, prefixes, (record) => store.lists.remove(record));

    expect(await idsOf(store, { userId: "ada" })).toEqual(["r1"]);
    expect(await storage.list("run-by", "-/bob/error/")).toEqual([]);
  });

  it("removes the entries of runs that are no more, and leaves that of a run that may be being accepted", async () => {
    const storage = new InMemoryStorage();
    const store = new RunStore(storage, () => 0);
    for (const runId of ["r1", "r2"]) {
      for (const prefix of prefixes) await storage.set("run-by", `${prefix}999999999999998.${runId}`, { v: 1 });
    }
    await store.openRuns.add(newRecord({ runId: "r1", createdAt: 2 }));
    await removeRuns(store, prefixes, (record) => store.lists.remove(record));

    expect((await storage.list("run-by")).map(({ key }) => key)).toEqual(["-/bob/open/999999999999998.r1"]);
  });
});

it("a removal that dies behind the log leaves no run that is performed again, whose end only the log had [durable.forget]", async () => {
  const storage = new InMemoryStorage();
  let phase: "ending" | "removing" | undefined = "ending";
  const faulty = faultyStorage(storage, ({ method, args }) => {
    const isRecord = JSON.stringify(args).includes('"runs"');
    const fails = { ending: method === "compareAndSet", removing: method === "transaction" };
    return isRecord && phase !== undefined && fails[phase] ? "fail-before" : undefined;
  });
  const model = new ScriptedModel("Paid.", "Paid again.");
  const options = () => ({ agents: { a: scriptedAgent([], { model }) }, storage: faulty });
  const first = await serveRuns(options());
  const { runId, sessionId } = await first.accept(request);
  await readEvents(first, runId);
  await first.close();
  expect(await storage.get("runs", runId)).not.toMatchObject({ status: "completed" });

  phase = "removing";
  await expect(makeService(options()).forgetSession(sessionId, {})).rejects.toMatchObject({
    code: "storage_unavailable",
  });
  phase = undefined;
  expect(await storage.list("run-log")).toEqual([]);
  const last = await serveRuns(options());

  expect(await storage.get("runs", runId)).toMatchObject({ status: "completed" });
  expect(await untilStatus(last, runId, "completed")).toMatchObject({ status: "completed" });
  await last.forgetSession(sessionId, {});
  expect(await storage.list("runs")).toEqual([]);
  expect(model.calls).toHaveLength(1);
});
