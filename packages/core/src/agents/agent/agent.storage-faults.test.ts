import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RunError } from "../run/run-output.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import { assertVendorWouldAccept } from "../../sessions/history/test/assert-vendor-would-accept.ts";
import { drivers } from "../../sessions/storage/test/drivers.ts";
import { FaultInjector, faults } from "../../sessions/storage/test/fault-injector.ts";
import { sessionQueuesOf } from "../../sessions/lock/session-queues.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { callOf, look, scripted } from "./test/agents.ts";

const opts = { sessionId: "s" };
const roles = ["assistant", "tool", "assistant"];

/** Lets time pass until the promise is settled. */
async function settled<Result>(promise: Promise<Result>): Promise<Result | RunError> {
  const outcome = promise.catch((error: RunError) => error);
  await vi.advanceTimersByTimeAsync(10_000);
  return await Promise.race([outcome, Promise.reject(new Error("the run never ended"))]);
}

async function turnsIn(driver: StorageDriver) {
  const session = await new SessionStore(driver).open("s");
  const turns = await session.loadTurns(100);
  session.release();
  return turns;
}

/** One run with a tool round trip, after another, on a storage whose call goes wrong. Gives nothing when it never came. */
async function runWithFault({
  create,
  fault,
  atCall,
}: {
  create: () => StorageDriver;
  fault: (typeof faults)[number];
  atCall: number;
}) {
  const watched = new FaultInjector(create());
  const turns = [{ toolCalls: [callOf("1")] }, "Earlier.", { toolCalls: [callOf("2")] }, "Done."];
  const { agent, model } = scripted(turns, { storage: watched.driver, tools: [look] });
  model.respond(() => "After.");
  await agent.run("Earlier?", opts);
  const stream = agent.stream("Now?", opts);
  watched.plan({ fault, atCall, onHang: () => stream.cancel() });
  const outcome = await settled(stream.output);
  watched.disarm();
  // Where processes share the storage, what failed of taking turns is tried again.
  await vi.advanceTimersByTimeAsync(100);
  return watched.hasStruck ? { outcome, agent, model, watched, runId: stream.runId } : undefined;
}

type Faulty = NonNullable<Awaited<ReturnType<typeof runWithFault>>>;

async function expectWholeTurns({ outcome, watched, runId }: Faulty): Promise<void> {
  const stored = await turnsIn(watched.driver);
  const own = stored.filter((turn) => turn.runId === runId);
  expect(stored.length).toBe(1 + own.length);
  const isGood = !(outcome instanceof RunError);
  expect(isGood ? own.map(({ status }) => status) : ["completed"]).toEqual(["completed"]);
  for (const { status, messages } of own) {
    const all = messages.map(({ role }) => role);
    expect(status === "completed" ? all : [...all, "assistant"].slice(0, 3)).toEqual(roles);
  }
}

async function expectGoesOn({ agent, model, watched }: Faulty): Promise<void> {
  await vi.waitFor(() => expect(sessionQueuesOf(watched.driver).busyKeys).toBe(0));
  expect((await agent.run("After?", opts)).text).not.toBe("");
  assertVendorWouldAccept(model.calls.at(-1)?.messages ?? []);
  expect(model.calls.at(-1)?.messages[0]?.content).toBe("Earlier?");
}

const cases = drivers.flatMap(([offer, create]) => faults.map((fault) => ({ offer, create, fault })));

describe.each(cases)("a run on a storage with $offer that $fault", ({ create, fault }) => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("completes or fails, leaves no half turn, and the session goes on, at whichever call", async () => {
    let strikes = 0;
    for (let atCall = 1; ; atCall++) {
      const faulty = await runWithFault({ create, fault, atCall });
      if (faulty === undefined) break;
      strikes += 1;
      const { outcome } = faulty;
      const { status, text } = outcome instanceof RunError ? outcome.output : outcome;
      expect(["error", "Done."]).toContain(status === "completed" ? text : status);
      await expectWholeTurns(faulty);
      await expectGoesOn(faulty);
    }
    expect(strikes).toBeGreaterThanOrEqual(3);
  });
});
