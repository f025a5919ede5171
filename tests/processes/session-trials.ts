import { setTimeout as sleep } from "node:timers/promises";
import { SessionStore } from "@troupe/core";
import type { StorageDriver } from "@troupe/core";
import { createId } from "@troupe/core/adapter";
import { expect, it, onTestFinished } from "vitest";
import { AgentProcess } from "./agent-process.ts";
import { openStorage } from "./open-storage.ts";
import type { StorageAddress } from "./open-storage.ts";

/** How long a process may be silent before others take its place. */
const leaseMs = 10_000;

/** What these trials look at in a stored turn. */
type Turn = { input: string; messages: { content: string }[] };

/** Two processes over one storage, and a session that is theirs. */
async function startTwo(at: StorageAddress) {
  const sessionId = createId();
  const storage = await openStorage(at);
  // Waits for a lease when a process was ended with the session in its hands.
  onTestFinished(async () => {
    await new SessionStore(storage).deleteSession(sessionId);
    await storage.close();
  }, 3 * leaseMs);
  const [one, other] = await Promise.all([AgentProcess.start(at), AgentProcess.start(at)]);
  return { sessionId, storage, one, other };
}

/** All that is stored of the session. */
async function readSession(storage: StorageDriver, sessionId: string) {
  const key = `-/-/${sessionId}`;
  const turns = (await storage.list("turns", `${key}/`)) as unknown as { value: Turn }[];
  const [session, memory] = [await storage.get("sessions", key), await storage.get("memory", key)];
  return { turns: turns.map(({ value }) => value), session, memory };
}

/** What any storage keeps to when two processes use one session of it. */
export function trySessions(address: () => StorageAddress): void {
  it("loses and interleaves nothing when fifty runs of two processes want it at once", async () => {
    const { sessionId, storage, one, other } = await startTwo(address());
    const questions = Array.from({ length: 50 }, (_, index) => `question ${index}`);
    const outcomes = await Promise.all(
      questions.map(async (question, index) => await (index % 2 === 0 ? one : other).ask(question, sessionId)),
    );
    const { turns, session, memory } = await readSession(storage, sessionId);

    expect(outcomes.filter((outcome) => "failed" in outcome)).toEqual([]);
    expect(turns.map(({ input }) => input).toSorted()).toEqual(questions.toSorted());
    // Each was shown all that came before it and nothing else: none began before the one in front had ended.
    expect(turns.map(({ messages }) => messages.at(-1)?.content)).toEqual(
      turns.map((_, index) => `shown ${index + 1}`),
    );
    expect(session).toMatchObject({ turns: 50 });
    expect(memory).toMatchObject({ through: 50 });
  });

  it("refuses the turn of a process that was stopped for twice its lease, once another has had the session", async () => {
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

  it("is free after one lease when the process that has it is killed", async () => {
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

  it("is free at once when the process that had it closes its storage right after its answer", async () => {
    const { sessionId, one, other } = await startTwo(address());
    await one.ask("first", sessionId);
    await one.close();
    const askedAt = performance.now();

    expect(await other.ask("second", sessionId)).toEqual({ answered: "second", text: "shown 2" });
    expect(performance.now() - askedAt).toBeLessThan(leaseMs / 2);
  });
}
