import { describe, expect, it } from "vitest";
import { RunStore } from "../record/run-store.ts";
import { runnableOf } from "./test/asking-runnable.ts";
import { makeService, request } from "./test/services.ts";
import { SharedQueue } from "./test/shared-queue.ts";

const endless = runnableOf(async function* () {
  for (;;) yield { type: "text", text: "on and on" };
});

describe("the record of a durable run", () => {
  it("is woken although this process has an older attempt at the run that does not know yet", async () => {
    const { storage } = new SharedQueue();
    const service = makeService({ agents: { a: endless }, storage });
    const { runId } = await service.accept(request);
    const store = new RunStore(storage, Date.now);
    store.running.set(runId, { attempts: 1, node: "one", startedAt: 1, plan: { tools: {} } });
    await store.change(runId, (record) => ({ ...record, attempts: 2, status: "running", node: "two" }));
    await store.suspend({ runId, attempts: 2 }, [{ id: "t.0", kind: "approval", about: null }]);

    expect(await store.read(runId)).toMatchObject({ status: "waiting", attempts: 2 });
    expect(await store.wake(runId)).toMatchObject({ status: "queued", activation: 2 });
  });

  it("says that the run waits only for the attempt that is the last one", async () => {
    const queue = new SharedQueue();
    const api = makeService({ agents: { a: endless }, ...queue.node("api") });
    const { runId } = await api.accept(request);
    const record = (await queue.storage.get("runs", runId)) as object;
    await queue.storage.set("runs", runId, { ...record, status: "running", attempts: 2 });
    const store = new RunStore(queue.storage, Date.now);

    expect(await store.suspend({ runId, attempts: 1 }, [])).toBeNull();
    expect(await store.suspend({ runId, attempts: 2 }, [])).toMatchObject({ status: "waiting" });
  });
});
