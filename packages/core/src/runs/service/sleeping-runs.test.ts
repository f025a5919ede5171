import { describe, expect, it, vi } from "vitest";
import { Workflow } from "../../agents/workflow/workflow.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { RunService } from "./run-service.ts";
import { fakeClock, serveRuns, soon, untilStatus } from "./test/services.ts";
import { SharedQueue } from "./test/shared-queue.ts";

type State = { wokeAt?: number };

/** A workflow that sleeps, and notes the time at which it goes on. */
const sleeping = (sleepMs: number) => ({
  flow: new Workflow<State>({
    name: "flow",
    initialState: {},
    steps: [
      { name: "nap", sleepMs },
      { name: "woke", effect: "pure", run: () => ({ wokeAt: Date.now() }) },
    ],
  }),
});

const request = { kind: "workflow", name: "flow" } as const;
const now = () => Date.now();

/** Lets time pass on a faked clock, and the work of two processes that comes due. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await vi.advanceTimersByTimeAsync(50);
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function begin(service: RunService): Promise<string> {
  const { runId } = await service.accept(request);
  await untilStatus(service, runId, "waiting");
  return runId;
}

async function wokeAt(service: RunService, runId: string): Promise<number> {
  const { output } = await soon(untilStatus(service, runId, "completed"));
  return (output as { state: State }).state.wokeAt ?? NaN;
}

describe("sleeping runs", () => {
  it.each([5000, 3_600_000])("share one timer at most, if each sleeps %d ms", async (sleepMs) => {
    fakeClock();
    const service = await soon(serveRuns({ workflows: sleeping(sleepMs), storage: new InMemoryStorage(), now }));
    const before = vi.getTimerCount();
    const runIds = await soon(Promise.all(Array.from({ length: 50 }, async () => await begin(service))));

    expect(vi.getTimerCount() - before).toBeLessThanOrEqual(1);
    await soon(Promise.all(runIds.map(async (runId) => await service.cancel(runId, "host"))));
  });

  it.each([20, 29_000, 31_000, 95_000])("go on at their time after %d ms", async (sleepMs) => {
    fakeClock();
    const service = await soon(serveRuns({ workflows: sleeping(sleepMs), storage: new InMemoryStorage(), now }));
    const began = Date.now();
    const runId = await soon(begin(service));
    const late = (await wokeAt(service, runId)) - began - sleepMs;

    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(1000);
  });

  it("go on at their time in another process, if their own process has died in the meantime", async () => {
    fakeClock();
    const queue = new SharedQueue();
    const options = { workflows: sleeping(45_000) };
    // A killed process gets no answers from its storage, so its service is not closed.
    const one = new RunService({ ...options, ...queue.node("one") });
    await soon(one.serve());
    const began = Date.now();
    const runId = await soon(begin(one));
    const two = await soon(serveRuns({ ...options, ...queue.node("two") }));
    await pass(20_000);
    queue.kill("one");
    const late = (await wokeAt(two, runId)) - began - 45_000;

    expect(await two.get(runId, "host")).toMatchObject({ node: "two", attempts: 2 });
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(1000);
  });

  it("go on once if two live processes know their time", async () => {
    fakeClock();
    const queue = new SharedQueue();
    const options = { workflows: sleeping(45_000) };
    const one = await soon(serveRuns({ ...options, ...queue.node("one") }));
    const two = await soon(serveRuns({ ...options, ...queue.node("two") }));
    const runId = await soon(begin(one));
    await wokeAt(two, runId);

    expect(await two.get(runId, "host")).toMatchObject({ attempts: 2 });
    expect(queue.deliveries.filter(({ job }) => job.runId === runId).map(({ job }) => job.activation)).toEqual([1, 2]);
  });

  it("go on after a restart shortly before their time", async () => {
    fakeClock();
    const storage = new InMemoryStorage();
    const options = { workflows: sleeping(60_000), storage, now };
    const first = await soon(serveRuns(options));
    const began = Date.now();
    const runId = await soon(begin(first));
    await pass(59_000);
    await soon(first.close());
    const second = await soon(serveRuns(options));
    const late = (await wokeAt(second, runId)) - began - 60_000;

    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(1000);
  });
});
