import { setTimeout as sleep } from "node:timers/promises";
import { SessionStore } from "@troupe/core";
import type { StorageDriver } from "@troupe/core";
import { createId } from "@troupe/core/kit";
import { expect, it, onTestFinished } from "vitest";
import { AgentProcess } from "./agent-process.ts";
import { openStorage } from "./open-storage.ts";
import type { StorageAddress } from "./open-storage.ts";

/** Milliseconds without a heartbeat after which a lease expires. */
const leaseMs = 10_000;

/** The fields of a stored turn that these trials read. */
type Turn = { input: string; messages: { content: string }[] };

/** Starts two processes over one storage, for one session. */
async function startTwo(at: StorageAddress) {
  const sessionId = createId();
  const storage = await openStorage(at);
  // Waits for the lease to expire when a process ended with it.
  onTestFinished(async () => {
    await new SessionStore(storage).deleteSession(sessionId);
    await storage.close();
  }, 3 * leaseMs);
  const [one, other] = await Promise.all([AgentProcess.start(at), AgentProcess.start(at)]);
  return { sessionId, storage, one, other };
}

/** Reads all records of the session. */
async function readSession(storage: StorageDriver, sessionId: string) {
  const key = `-/-/${sessionId}`;
  const turns = (await storage.list("turns", `${key}/`)) as unknown as { value: Turn }[];
  const [session, memory] = [await storage.get("sessions", key), await storage.get("memory", key)];
  return { turns: turns.map(({ value }) => value), session, memory };
}

/** Registers the tests of two processes that use one session of a storage. */
export function trySessions(address: () => StorageAddress): void {
  it("loses and interleaves nothing when fifty runs of two processes use it at once", async () => {
    const { sessionId, storage, one, other } = await startTwo(address());
    const questions = Array.from({ length: 50 }, (_, index) => `question ${index}`);
    const outcomes = await Promise.all(
      questions.map(async (question, index) => await (index % 2 === 0 ? one : other).ask(question, sessionId)),
    );
    const { turns, session, memory } = await readSession(storage, sessionId);

    expect(outcomes.filter((outcome) => "failed" in outcome)).toEqual([]);
    expect(turns.map(({ input }) => input).toSorted()).toEqual(questions.toSorted());
    // Each run saw all earlier turns and nothing else: none began before the run in front of it had ended.
    expect(turns.map(({ messages }) => messages.at(-1)?.content)).toEqual(
      turns.map((_, index) => `shown ${index + 1}`),
    );
    expect(session).toMatchObject({ turns: 50 });
    expect(memory).toMatchObject({ through: 50 });
  });

  it("refuses the turn of a process that was frozen for two leases, after another process had the session", async () => {
    const { sessionId, storage, one, other } = await startTwo(address());
    await one.ask("first", sessionId);
    const isWaiting = one.isWaiting();
    const late = one.ask("wait for it", sessionId);
    await isWaiting;
    await one.freeze();
    const [overtaking] = await Promise.all([other.ask("second", sessionId), sleep(2 * leaseMs)]);
    const before = await readSession(storage, sessionId);
    await one.thaw();
    one.goOn();

    expect(overtaking).toEqual({ answered: "second", text: "shown 2" });
    expect(await late).toMatchObject({ code: "conflict" });
    expect(await readSession(storage, sessionId)).toEqual(before);
    expect(before.turns.map(({ input }) => input)).toEqual(["first", "second"]);
    expect(await one.ask("third", sessionId)).toEqual({ answered: "third", text: "shown 3" });
  });

  it("is free after one lease when the process that holds it is killed", async () => {
    const { sessionId, storage, one, other } = await startTwo(address());
    const isWaiting = one.isWaiting();
    one.ask("wait for it", sessionId).catch(() => undefined);
    await isWaiting;
    await one.kill();
    const killedAt = performance.now();

    expect(await other.ask("next", sessionId)).toEqual({ answered: "next", text: "shown 1" });
    expect(performance.now() - killedAt).toBeLessThan(2 * leaseMs);
    expect((await readSession(storage, sessionId)).turns).toHaveLength(1);
  });

  it("goes on at once with the next attempt at a durable run when the process that holds it is killed [run-log.place]", async () => {
    const { sessionId, storage, one, other } = await startTwo(address());
    const isWaiting = one.isWaiting();
    one.accept("wait for it", sessionId);
    await isWaiting;
    const next = other.ask("next", sessionId);
    await one.kill();
    const servedAt = performance.now();
    const goesOn = other.isWaiting();
    const answer = other.serve();
    await goesOn;

    expect(performance.now() - servedAt).toBeLessThan(leaseMs / 2);
    other.goOn();
    expect(await answer).toBe("shown 1");
    expect(await next).toEqual({ answered: "next", text: "shown 2" });
    expect((await readSession(storage, sessionId)).turns.map(({ input }) => input)).toEqual(["wait for it", "next"]);
  });

  it("is free at once when the process that held it closes its storage right after its answer", async () => {
    const { sessionId, one, other } = await startTwo(address());
    await one.ask("first", sessionId);
    await one.close();
    const askedAt = performance.now();

    expect(await other.ask("second", sessionId)).toEqual({ answered: "second", text: "shown 2" });
    expect(performance.now() - askedAt).toBeLessThan(leaseMs / 2);
  });
}
