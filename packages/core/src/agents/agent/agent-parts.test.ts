import { afterEach, describe, expect, it, vi } from "vitest";
import { EventBus } from "../../base/events/event-bus.ts";
import type { AgentMemory } from "../memory/agent-memory.ts";
import type { AgentUserMemory } from "../memory/agent-user-memory.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunSettings } from "../run/run-options.ts";
import type { SessionListener } from "../../sessions/session/session-listener.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import { BoundedStorage } from "../../sessions/storage/bounded-storage.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { AgentConfig } from "./agent-config.ts";
import { AgentParts } from "./agent-parts.ts";
import { look } from "./test/agents.ts";

afterEach(() => void vi.useRealTimers());

const model = new ScriptedModel();
const partsOf = (config: Partial<AgentConfig> = {}, listeners?: SessionListener[]) =>
  new AgentParts({ name: "helper", model, ...config }, listeners);
const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
const turn = { runId: "r", runnable: "helper", input: "q", messages: [], status: "completed", usage } as const;

/** A memory or user memory that notes its calls. */
function noting() {
  const calls: unknown[][] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args]);
  const memory: unknown = {
    ...Object.fromEntries(["addMessages", "clear"].map((name) => [name, note(name)])),
    getMessages: () => [],
  };
  const userMemory: unknown = { clear: note("clear") };
  return { calls, memory: memory as AgentMemory, userMemory: userMemory as AgentUserMemory };
}

describe("the parts of an agent", () => {
  it("are made once, on first use", () => {
    const parts = partsOf({ tools: [look], logLevel: "info" });
    const read = () => [
      parts.eventBus,
      parts.storage,
      parts.sessions,
      parts.tools,
      parts.modelSettings,
      parts.toldOmissions,
      parts.retry,
      parts.logger,
    ];
    const first = read();

    expect(read().every((part, index) => part === first[index])).toBe(true);
    expect(parts.tools.known).toEqual([look]);
  });

  it("are those of the configuration where it has some", () => {
    const [eventBus, storage] = [new EventBus<RunEvents>(), new InMemoryStorage()];
    const parts = partsOf({ eventBus, storage, temperature: 0.5, modelOptions: { seed: 1 }, retry: { maxRetries: 0 } });

    expect(parts.eventBus).toBe(eventBus);
    expect(parts.storage).toBe(storage);
    expect(parts.modelSettings).toStrictEqual({ temperature: 0.5, seed: 1 });
    expect(parts.retry).toMatchObject({ maxRetries: 0 });
    expect(partsOf().retry.maxRetries).toBe(3);
    expect([partsOf().logger, partsOf().structured]).toEqual([undefined, undefined]);
    expect(partsOf().storage).toBeInstanceOf(BoundedStorage);
  });

  it("refuse a wrong schema at once", () => {
    expect(() => partsOf({ structuredOutput: { type: "text" } })).toThrow(/^structuredOutput/);
    expect(partsOf({ structuredOutput: { type: "object" } }).structured?.jsonSchema).toMatchObject({ type: "object" });
  });
});

describe("the sessions of an agent", () => {
  it("the sessions of an agent that last only as long as a parent run have a queue without bounds, and the others those of onBusy", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const parts = partsOf({ onBusy: { maxWaiting: 1, waitMs: 50 } });
    const refusedIn = async (sessions: SessionStore) => {
      const first = await sessions.open("s");
      const failures: unknown[] = [];
      const open = async () => {
        const session = await sessions.open("s");
        session.release();
      };
      const waiting = Array.from(
        { length: 20 },
        async () => await open().catch((error: unknown) => failures.push(error)),
      );
      await vi.advanceTimersByTimeAsync(3_600_000);
      first.release();
      await Promise.all(waiting);
      return failures.length;
    };

    expect(
      await refusedIn(
        parts.sessionsFor({ sessionStorage: new InMemoryStorage() } as Partial<RunSettings> as RunSettings),
      ),
    ).toBe(0);
    expect(await refusedIn(parts.sessionsFor({} as RunSettings))).toBe(20);
  });

  it.each<[onBusy: AgentConfig["onBusy"], isRefused: boolean]>([
    ["reject", true],
    [{ onBusy: "reject" }, true],
    [{ onBusy: "enqueue", maxWaiting: 0 }, true],
    [undefined, false],
    ["enqueue", false],
  ])("are shared by its policy, in turn without one: %j", async (onBusy, isRefused) => {
    const { sessions } = partsOf(onBusy === undefined ? {} : { onBusy });
    const first = await sessions.open("s");
    const second = sessions.open("s").then(
      (session) => session.release(),
      (error: { code: string }) => error.code,
    );
    await new Promise(setImmediate);
    first.release();

    expect(await second).toBe(isRefused ? "conflict" : undefined);
  });

  it("the sessions of an agent of a run that ends with its parent have a store of their own, in which it waits", async () => {
    const sessionStorage = new InMemoryStorage();
    const parts = partsOf({ onBusy: "reject" });
    const own = parts.sessionsFor({ sessionStorage } as unknown as RunSettings);
    const first = await own.open("s");
    const second = own.open("s");
    await first.appendTurn({ ...turn, messages: [] });
    first.release();
    (await second).release();

    expect(own).toBeInstanceOf(SessionStore);
    expect(await sessionStorage.list("sessions")).toHaveLength(1);
    expect(await parts.storage.list("sessions")).toEqual([]);
    expect(parts.sessionsFor({} as RunSettings)).toBe(parts.sessions);
  });

  it("are forgotten by memories and listeners when they are deleted, each in the name of its owner", async () => {
    const { calls, memory, userMemory } = noting();
    const forgetSession = vi.fn<NonNullable<SessionListener["forgetSession"]>>(async () => await Promise.resolve());
    const storage = new InMemoryStorage();
    const { sessions } = partsOf({ storage, memory, userMemory }, [{ forgetSession }]);
    const owner = { userId: "ann", tenantId: "acme" };
    const session = await sessions.open("s", { owner });
    await session.appendTurn({ ...turn, messages: [] });
    await session.appendTurn({ ...turn, runId: "r2", input: "q2", messages: [] });
    session.release();
    await sessions.deleteTurns("s", 2, { owner });
    await sessions.deleteSession("s", { owner });
    await sessions.deleteUser("ann", { tenantId: "acme" });

    expect(calls.map(([name, id]) => [name, id])).toEqual([
      ["clear", "acme/ann/s"],
      ["addMessages", "acme/ann/s"],
      ["clear", "acme/ann/s"],
      ["clear", "acme/ann"],
    ]);
    expect(calls[1]?.[2]).toEqual([{ role: "user", content: "q" }]);
    expect(calls[0]?.[2]).toMatchObject(owner);
    expect(forgetSession).toHaveBeenCalledOnce();
  });
});

describe("work in the background", () => {
  it("is waited for, and cancelled after five seconds", async () => {
    vi.useFakeTimers();
    const parts = partsOf();
    const cancel = vi.fn<() => void>(() => done.resolve());
    const done = Promise.withResolvers<void>();
    parts.sessions.track(done.promise, cancel);
    const ending = parts.endBackgroundWork();
    await vi.advanceTimersByTimeAsync(4999);
    expect(cancel).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await ending;

    expect(cancel).toHaveBeenCalledOnce();
    await expect(partsOf().endBackgroundWork()).resolves.toBeUndefined();
  });
});
