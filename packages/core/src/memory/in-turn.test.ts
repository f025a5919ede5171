import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SessionStore } from "../session/session-store.ts";
import { localQueuesOf } from "../lock/session-queues.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { inTurn } from "./in-turn.ts";
import { Memory } from "./memory.ts";
import { exchange } from "./test/conversation.ts";

const place = { namespace: "memory", key: "-/a" };
const never = () => new Promise<never>(() => {});

describe("inTurn", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is not in the way of whoever has the session itself", async () => {
    const storage = new InMemoryStorage();
    const session = await new SessionStore(storage).open("a");
    const memory = new Memory({ storage });
    await memory.addMessages("a", exchange("1"), { through: 1 });
    session.release();

    expect(await memory.getMessages("a")).toEqual(exchange("1"));
    expect(localQueuesOf(storage).busySessions).toBe(0);
  });

  it("waits for a write that its caller gave up on, and then says what is wrong", async () => {
    const driver = new InMemoryStorage();
    const abort = new AbortController();
    const first = inTurn({ driver, place }, async (held) => await held.write(never, abort.signal));
    const second = inTurn({ driver, place }, async () => "done").catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1);
    abort.abort();
    await expect(first).rejects.toMatchObject({ code: "cancelled" });
    await vi.advanceTimersByTimeAsync(60_000);

    expect(await second).toMatchObject({ code: "conflict", message: expect.stringContaining("the storage hangs") });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends the wait when its signal aborts, and leaves the line", async () => {
    const driver = new InMemoryStorage();
    const abort = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = inTurn({ driver, place }, async () => await promise);
    const second = inTurn({ driver, place, signal: abort.signal }, async () => "done");
    abort.abort();
    await expect(second).rejects.toMatchObject({ code: "cancelled" });
    resolve();
    await first;

    expect(localQueuesOf(driver).busySessions).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
