import { Agent } from "../../agents/agent/agent.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ServedSessions } from "./served-sessions.ts";

const ada = { userId: "ada", tenantId: "t" };
const all = { limit: undefined, after: undefined };

afterEach(() => {
  vi.useRealTimers();
});

/** An agent over a storage, with turns in sessions: their inputs. */
async function agentWith(storage: StorageDriver, sessions: Record<string, string[]> = {}): Promise<Agent> {
  const model = new ScriptedModel().respond(() => "Hi.");
  const agent = new Agent({ name: "a", model, storage });
  for (const [sessionId, said] of Object.entries(sessions)) {
    for (const text of said) await agent.run(text, { sessionId, ...ada });
  }
  return agent;
}

/** Two storages that both hold the session "both", and the sessions of agents over them. */
async function twoStorages(plan: (call: { method: string }) => "fail-before" | undefined = () => undefined) {
  const first = await agentWith(new InMemoryStorage(), { both: ["1"], left: ["l"] });
  const inner = new InMemoryStorage();
  await agentWith(inner, { both: ["2", "3"], right: ["r", "s", "t"] });
  const second = await agentWith(faultyStorage(inner, plan));
  return { first, second, sessions: new ServedSessions([first, second]) };
}

async function inputsOf(sessions: ServedSessions, sessionId: string, page: object = {}): Promise<unknown[]> {
  const { turns } = await sessions.readTurns(sessionId, ada, { ...all, take: () => true, ...page });
  return turns.map(({ input }) => input);
}

/** A storage whose writes are counted, and fail while `isBroken`. */
function probed() {
  const state = { writes: 0, pings: 0, isBroken: false, isDown: false };
  const storage = new InMemoryStorage();
  const driver = new Proxy<StorageDriver>(storage, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name === "ping") {
        return async () => {
          state.pings += 1;
          if (state.isDown) throw new Error("Down.");
          await Promise.resolve();
        };
      }
      if (typeof member !== "function") return member;
      return async (...args: unknown[]): Promise<unknown> => {
        if (name === "set") {
          state.writes += 1;
          if (state.isBroken) throw new Error("Full.");
        }
        return (await Reflect.apply(member, target, args)) as unknown;
      };
    },
  });
  return { state, driver };
}

describe("sessions in several storages", () => {
  it("are read in the storage of the agent registered first that has them", async () => {
    const { sessions } = await twoStorages();

    expect(await sessions.read("both", ada)).toMatchObject({ sessionId: "both", userId: "ada", turns: 1 });
    expect(await sessions.read("right", ada)).toMatchObject({ sessionId: "right", userId: "ada", turns: 3 });
    expect(await inputsOf(sessions, "both")).toEqual(["1"]);
    expect(await inputsOf(sessions, "right", { limit: 1, after: 1 })).toEqual(["s"]);
    expect(await inputsOf(sessions, "right", { take: ({ seq }: { seq: number }) => seq < 2 })).not.toContain("t");
  });

  it("are listed as one list, page by page, each id once", async () => {
    const { sessions } = await twoStorages();
    const page = await sessions.list(ada, { limit: 2, after: undefined });
    const rest = await sessions.list(ada, { limit: undefined, after: page.next });

    const ids = [...page.sessions, ...rest.sessions].map(({ sessionId, turns }) => `${sessionId} ${turns}`);
    expect(page.sessions).toHaveLength(2);
    expect(ids.toSorted()).toEqual(["both 1", "left 1", "right 3"]);
  });

  it("are renamed and cut in the first storage that has them, and deleted in all", async () => {
    const { first, second, sessions } = await twoStorages();
    const inFirst = new ServedSessions([first]);
    const inSecond = new ServedSessions([second]);

    expect(await sessions.rename("both", ada, "Mine")).toMatchObject({ sessionId: "both", title: "Mine" });
    expect(await inSecond.read("both", ada)).not.toMatchObject({ title: "Mine" });
    await sessions.deleteTurns("right", ada, 2);
    expect(await inputsOf(sessions, "right")).toEqual(["r"]);
    await sessions.deleteTurns("both", ada, 1);
    expect(await inputsOf(inSecond, "both")).toEqual(["2", "3"]);

    await sessions.delete("both", ada);
    await sessions.delete("right", ada);

    for (const each of [inFirst, inSecond]) {
      await expect(each.read("both", ada)).rejects.toMatchObject({ code: "not_found" });
    }
    await expect(sessions.delete("right", ada)).rejects.toMatchObject({ code: "not_found" });
  });

  it.each([
    ["another user", { userId: "bob", tenantId: "t" }],
    ["another tenant", { userId: "ada", tenantId: "u" }],
    ["no tenant", { userId: "ada" }],
  ])("are not found for %s", async (_, owner) => {
    const { sessions } = await twoStorages();
    const message = 'Session "both" not found. It may belong to another user: sign in as that user.';
    const missing = { code: "not_found", message };

    await expect(sessions.read("both", owner)).rejects.toMatchObject(missing);
    await expect(sessions.readTurns("both", owner, { ...all, take: () => true })).rejects.toMatchObject(missing);
    await expect(sessions.readPart("both", owner, { seq: 1, index: 0 })).rejects.toMatchObject(missing);
    await expect(sessions.rename("both", owner, "Mine")).rejects.toMatchObject(missing);
    await expect(sessions.deleteTurns("both", owner, 1)).rejects.toMatchObject(missing);
    await expect(sessions.delete("both", owner)).rejects.toMatchObject(missing);
    expect(await sessions.list(owner, all)).toEqual({ sessions: [] });
    expect(await inputsOf(sessions, "both")).toEqual(["1"]);
  });

  it("have parts that are read by their turn and number, in the storage that has the session, for their owner", async () => {
    const { first, second, sessions } = await twoStorages();
    const image = (content: string) => {
      return [{ type: "image" as const, data: Buffer.from(content).toString("base64"), mimeType: "image/png" }];
    };
    for (const content of ["one", "two"]) await second.run(image(content), { sessionId: "pictures", ...ada });
    await first.run(image("first"), { sessionId: "shared", ...ada });
    await second.run(image("second"), { sessionId: "shared", ...ada });
    const read = async (sessionId: string, place: { seq: number; index: number }) => {
      const { pieces, ...part } = await sessions.readPart(sessionId, ada, place);
      return { ...part, content: Buffer.concat(await Array.fromAsync(pieces)).toString() };
    };

    const mimeType = "image/png";
    expect(await read("pictures", { seq: 1, index: 0 })).toEqual({ mimeType, bytes: 3, content: "one" });
    expect(await read("pictures", { seq: 2, index: 0 })).toEqual({ mimeType, bytes: 3, content: "two" });
    expect(await read("shared", { seq: 1, index: 0 })).toEqual({ mimeType, bytes: 5, content: "first" });
    await expect(read("pictures", { seq: 1, index: 1 })).rejects.toMatchObject({ code: "not_found" });
    for (const stranger of [
      { ...ada, userId: "bob" },
      { ...ada, tenantId: "u" },
    ]) {
      const stolen = sessions.readPart("pictures", stranger, { seq: 1, index: 0 });
      await expect(stolen).rejects.toMatchObject({ code: "not_found" });
    }
  });

  it("fail with the failure of a storage, which is no missing session", async () => {
    const { first, sessions } = await twoStorages(() => "fail-before");

    await expect(sessions.read("right", ada)).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(sessions.delete("both", ada)).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(sessions.delete("none", ada)).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(new ServedSessions([first]).read("both", ada)).rejects.toMatchObject({ code: "not_found" });
  });

  it("are none of runnables without a store", async () => {
    const remote = { sessions: { readSession: () => "mine" } } as unknown as Runnable;
    const sessions = new ServedSessions([remote]);

    await sessions.checkUsable();
    await sessions.flush();
    expect(await sessions.list(ada, all)).toEqual({ sessions: [] });
    await expect(sessions.read("s", ada)).rejects.toMatchObject({ code: "not_found" });
    await expect(sessions.delete("s", ada)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("the work on sessions", () => {
  it("is awaited in the store of each runnable, with the time that is left", async () => {
    const storage = new InMemoryStorage();
    const agents = [await agentWith(storage), await agentWith(storage)];
    const flushed = vi.spyOn(SessionStore.prototype, "flush");

    await new ServedSessions(agents).flush(7);

    expect(flushed.mock.contexts).toEqual(agents.map(({ sessions }) => sessions));
    expect(flushed.mock.calls).toEqual([[{ waitMs: 7 }], [{ waitMs: 7 }]]);
    flushed.mockRestore();
  });
});

describe("the check of the storages", () => {
  it("asks each time, and writes once in five seconds to each storage", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { state, driver } = probed();
    const sessions = new ServedSessions([await agentWith(driver), await agentWith(driver)]);

    await Promise.all([sessions.checkUsable(), sessions.checkUsable()]);
    expect(state).toMatchObject({ writes: 1, pings: 2 });
    vi.advanceTimersByTime(4999);
    await sessions.checkUsable();
    expect(state).toMatchObject({ writes: 1, pings: 3 });
    vi.advanceTimersByTime(1);
    await sessions.checkUsable();
    expect(state).toMatchObject({ writes: 2, pings: 4 });
  });

  it("fails for five seconds after a write that failed, and at once while a storage is down", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { state, driver } = probed();
    const sessions = new ServedSessions([await agentWith(new InMemoryStorage()), await agentWith(driver)]);

    state.isBroken = true;
    await expect(sessions.checkUsable()).rejects.toThrow("Full.");
    state.isBroken = false;
    await expect(sessions.checkUsable()).rejects.toThrow("Full.");
    vi.advanceTimersByTime(5000);
    await sessions.checkUsable();
    state.isDown = true;
    await expect(sessions.checkUsable()).rejects.toThrow("Down.");
    state.isDown = false;
    await sessions.checkUsable();
  });
});
