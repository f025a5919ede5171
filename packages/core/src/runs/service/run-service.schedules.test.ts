import { expect, it, onTestFinished, vi } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import { createLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { LocalEngine } from "../processes/local-engine.ts";
import type { RunServiceOptions } from "../processes/run-service-options.ts";
import { runDrivers } from "../record/test/run-drivers.ts";
import type { RunSchedule } from "../schedules/schedule-record.ts";
import { RunService } from "./run-service.ts";
import { fakeClock } from "./test/services.ts";

const start = Date.UTC(2027, 2, 28);
const request = { kind: "agent", name: "a", input: "Report." } as const;
const each: RunSchedule = { id: "each", everyMs: 10_000, request };

/** Makes a service over a faked clock, which is closed after the test. */
function makeService(options: RunServiceOptions = {}): RunService {
  const a = new Agent({ name: "a", model: new ScriptedModel().respond(() => "Done.") });
  const logger = createLogger({ level: "silent" });
  const service = new RunService({
    agents: { a },
    storage: new InMemoryStorage(),
    logger,
    now: () => Date.now(),
    ...options,
  });
  onTestFinished(async () => {
    vi.useRealTimers();
    await service.close();
  });
  return service;
}

function startClock(): void {
  fakeClock();
  vi.setSystemTime(start);
}

/** Lets time pass, in steps in which the work of a timer comes to its end. */
async function advance(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    await vi.advanceTimersByTimeAsync(500);
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function createdTimes(service: RunService): Promise<number[]> {
  const { runs } = await service.list("host", { limit: 100 });
  return runs.map(({ createdAt }) => createdAt - start).toSorted((one, other) => one - other);
}

it.each([...runDrivers, ["nothing: in memory", () => undefined] as const])(
  "a service with a LocalEngine over storage with %s begins the runs of its schedules, and performs them",
  async (_offer, create) => {
    startClock();
    const service = makeService({ storage: create() });
    await service.serve();
    await service.schedules.put({ ...each, request: { ...request, owner: { userId: "ada" } } });
    await advance(35_000);

    const { runs } = await service.list({ userId: "ada" });
    expect(runs.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    expect(await createdTimes(service)).toEqual([10_000, 20_000, 30_000]);
    const { history } = await service.schedules.get("each", { userId: "ada" });
    expect(history.map(({ runId }) => runId)).toEqual(runs.map(({ runId }) => runId));
  },
);

it("two processes over one storage begin one run at each time, and the other goes on when one ends", async () => {
  startClock();
  const storage = new InMemoryStorage();
  const [one, other] = [makeService({ storage }), makeService({ storage })];
  await one.schedules.put(each);
  await Promise.all([one.serve(), other.serve()]);
  await advance(25_000);
  expect(await createdTimes(other)).toHaveLength(2);
  await one.drain(0);
  await advance(20_000);

  expect(await createdTimes(other)).toEqual([10_000, 20_000, 30_000, 40_000]);
});

it("RunService begins no runs before serve and after drain, and one for the times that were missed", async () => {
  startClock();
  const service = makeService();
  await service.schedules.put({ ...each, everyMs: 100_000 });
  await advance(380_000);
  expect(await createdTimes(service)).toEqual([]);
  await service.serve();
  await advance(1000);
  expect(await createdTimes(service)).toHaveLength(1);
  await service.drain(0);
  await advance(300_000);

  expect(await createdTimes(service)).toHaveLength(1);
  const { history } = await service.schedules.get("each");
  expect(history.map(({ status }) => status)).toEqual(["begun", "missed"]);
});

it("RunService begins no runs while the engine says that the clock of the process is wrong", async () => {
  startClock();
  const clock = { isWrong: true };
  const engine = Object.assign(new LocalEngine(), { isClockWrong: () => clock.isWrong });
  const service = makeService({ engine });
  await service.schedules.put({ ...each, overlap: "queue" });
  await service.serve();
  await advance(15_000);
  expect(await createdTimes(service)).toEqual([]);
  clock.isWrong = false;
  await advance(10_000);

  expect(await createdTimes(service)).toHaveLength(2);
});

it("RunService cancels the run that still waits when the next time comes, with cancel-running", async () => {
  startClock();
  const book = defineTool({
    name: "book",
    description: "Books a room.",
    parameters: { type: "object" },
    needsApproval: true,
    execute: () => "booked",
  });
  const call = { toolCalls: [{ name: "book", arguments: {} }] };
  const a = new Agent({ name: "a", model: new ScriptedModel(call, call), tools: [book] });
  const service = makeService({ agents: { a } });
  await service.serve();
  await service.schedules.put({ ...each, overlap: "cancel-running" });
  await advance(25_000);

  const { runs } = await service.list("host");
  expect(runs.map(({ status }) => status)).toEqual(["waiting", "cancelled"]);
});

it("RunService removes the schedules of a user who is forgotten", async () => {
  const service = makeService();
  for (const userId of ["ada", "bob"]) await service.schedules.put({ ...each, id: userId }, { userId });
  await service.forgetUser({ userId: "ada" });

  expect((await service.schedules.list()).map(({ id }) => id)).toEqual(["bob"]);
});

it("RunService takes the bound of schedules from its options", async () => {
  const service = makeService({ admission: { schedulesPerUser: 1 } });
  await service.schedules.put(each, { userId: "ada" });

  await expect(service.schedules.put({ ...each, id: "b" }, { userId: "ada" })).rejects.toMatchObject({
    code: "rate_limited",
    message: "A user may have 1 schedules. Remove a schedule first.",
  });
});

it("RunService takes no schedules once it is closed", async () => {
  const service = makeService();
  await service.close();

  await expect(service.schedules.put(each)).rejects.toMatchObject({ code: "unavailable" });
});
