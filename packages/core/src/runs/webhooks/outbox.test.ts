import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { SharedStorage } from "../../sessions/storage/test/shared-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { outboxKey } from "./delivery-record.ts";
import type { OutboxEntry } from "./delivery-record.ts";
import { Outbox } from "./outbox.ts";
import type { DueDelivery } from "./run-notices.ts";

type Attempt = (due: DueDelivery, signal: AbortSignal) => Promise<number | undefined>;

/** Fakes the clock, and makes an outbox whose attempts a test performs. */
function world(attempt: (of: StorageDriver) => Attempt, storage: StorageDriver = new InMemoryStorage()) {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"], now: 1_000_000 });
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
  const outbox = new Outbox({
    storage,
    now: Date.now,
    logger,
    watches: () => true,
    isKnown: () => true,
    attempt: attempt(storage),
  });
  onTestFinished(async () => {
    vi.useRealTimers();
    await outbox.stop(0);
  });
  return { storage, outbox, lines };
}

async function put(storage: StorageDriver, id: string, given: Partial<OutboxEntry> & { dueAt?: number } = {}) {
  const { dueAt = 999_999, ...more } = given;
  const entry = { v: 1, kind: "webhook", delivery: `r/${id}`, host: "h", owner: "-/ada", webhook: "service" } as const;
  const key = outboxKey({ dueAt, id });
  await storage.set("outbox", key, { ...entry, ...more });
  return { key, entry: { ...entry, ...more } };
}

const done =
  (sent: string[]) =>
  (storage: StorageDriver): Attempt =>
  async ({ key, entry }) => {
    // A page that was read before an entry was removed still has it. The record of a delivery then says that it is over.
    if ((await storage.get("outbox", key)) === null) return undefined;
    sent.push(entry.delivery);
    await storage.delete("outbox", key);
    return undefined;
  };

const pass = async (ms: number) => await vi.advanceTimersByTimeAsync(ms);

describe("the outbox", () => {
  it("sends what earlier processes have left, at its time, and nothing before it starts", async () => {
    const sent: string[] = [];
    const { storage, outbox } = world(done(sent));
    await put(storage, "due");
    await put(storage, "späť", { dueAt: 1_060_000 });
    await pass(60_000 - 1);
    expect(sent).toEqual([]);

    outbox.start();
    await pass(0);
    expect(sent).toEqual(["r/due"]);
    vi.setSystemTime(1_059_999);
    await outbox.look();
    expect(sent).toHaveLength(1);
    await pass(60_001);
    expect(sent).toEqual(["r/due", "r/späť"]);
  });

  it("sends a new delivery behind three thousand due ones of a host that never answers", async () => {
    const sent: string[] = [];
    const hanging = new Set<DueDelivery>();
    const never = Promise.withResolvers<undefined>();
    const { storage, outbox } = world((of) => async (due, signal) => {
      if (due.entry.host !== "down") return await done(sent)(of)(due, signal);
      hanging.add(due);
      return await Promise.race([never.promise, once(signal)]);
    });
    for (let index = 0; index < 3000; index++) await put(storage, `d${index}`, { host: "down" });
    outbox.start();
    await pass(1000);
    expect(hanging.size).toBe(4);

    outbox.offer(await put(storage, "mine", { host: "up", dueAt: 1_000_500 }));
    await put(storage, "another's", { host: "up", dueAt: 1_000_600, owner: "-/ben" });
    await pass(30_000);
    expect(sent.toSorted()).toEqual(["r/another's", "r/mine"]);
    never.resolve(undefined);
  });

  it("sends each of some thousand due deliveries once, with the bounded room that it has", async () => {
    const sent: string[] = [];
    const { storage, outbox } = world(done(sent));
    for (let index = 0; index < 2500; index++) await put(storage, `d${index}`, { owner: `-/u${index % 3}` });
    outbox.start();
    for (let step = 0; step < 200 && sent.length < 2500; step++) await pass(500);

    expect(new Set(sent).size).toBe(2500);
    expect(sent).toHaveLength(2500);
    expect(await storage.list("outbox")).toEqual([]);
  });

  it("goes on after a failure of the storage, and says so without the delivery", async () => {
    let failures = 2;
    const sent: string[] = [];
    const storage = new SharedStorage(new InMemoryStorage());
    const { outbox, lines } = world(
      (of) => async (due, signal) => {
        if (failures-- > 0) throw new Error("The database is away.");
        return await done(sent)(of)(due, signal);
      },
      storage,
    );
    await put(storage, "d");
    outbox.start();
    await pass(60_000);

    expect(sent).toEqual(["r/d"]);
    expect(lines.filter((line) => line.includes("A webhook waits for its storage"))).toHaveLength(2);
  });

  it("looks again after a listing has failed", async () => {
    const sent: string[] = [];
    const storage = new SharedStorage(new InMemoryStorage());
    const list = vi.spyOn(storage, "list").mockRejectedValueOnce(new Error("The database is away."));
    const { outbox, lines } = world(done(sent), storage);
    await put(storage, "d");
    outbox.start();
    await pass(20_000);

    expect(list.mock.calls.length).toBeGreaterThan(1);
    expect(sent).toEqual(["r/d"]);
    expect(lines.join()).toContain("could not be read");
  });

  it("stops after the attempts in progress, aborts those that last too long, and may start again", async () => {
    const sent: string[] = [];
    let isHanging = true;
    const aborted: string[] = [];
    const { storage, outbox } = world((of) => async (due, signal) => {
      if (!isHanging) return await done(sent)(of)(due, signal);
      await once(signal);
      aborted.push(due.entry.delivery);
      return undefined;
    });
    await put(storage, "d");
    outbox.start();
    await pass(100);
    const stopped = outbox.stop(3_600_000);
    await pass(4999);
    expect(aborted).toEqual([]);
    await pass(1);
    await stopped;
    expect(aborted).toEqual(["r/d"]);
    outbox.offer(await put(storage, "e"));
    await outbox.look();
    await pass(60_000);
    expect(sent).toEqual([]);

    isHanging = false;
    outbox.start();
    await pass(0);
    expect(sent.toSorted()).toEqual(["r/d", "r/e"]);
  });

  it.each([
    ["without a hint", () => undefined],
    ["with a hint pending", (storage: StorageDriver) => put(storage, "pending")],
    ["with a hint that has come", async (storage: StorageDriver) => (await put(storage, "come"), await pass(500))],
  ])("watches the hints of the storage again each time that it starts after a stop %s", async (_what, hint) => {
    const sent: string[] = [];
    const { storage, outbox } = world(done(sent), new SharedStorage(new InMemoryStorage()));
    for (let round = 1; round <= 3; round++) {
      outbox.start();
      await pass(0);
      await put(storage, `d${round}`);
      // Long before the next periodic read of the outbox.
      await pass(499);
      expect(sent).not.toContain(`r/d${round}`);
      await pass(1);
      expect(sent).toContain(`r/d${round}`);
      await hint(storage);
      await outbox.stop(0);
      const before = sent.length;
      await put(storage, `late${round}`);
      await pass(5000);
      expect(sent).toHaveLength(before);
    }
  });

  it("leaves entries of a newer release alone", async () => {
    const sent: string[] = [];
    const { storage, outbox } = world(done(sent));
    const key = outboxKey({ dueAt: 1, id: "x" });
    await storage.set("outbox", key, { v: 2, kind: "webhook" });
    await storage.set("outbox", outboxKey({ dueAt: 2, id: "y" }), { v: 1, kind: "pigeon" });
    await put(storage, "d");
    outbox.start();
    await pass(60_000);

    expect(sent).toEqual(["r/d"]);
    expect(await storage.list("outbox")).toHaveLength(2);
  });
});

async function once(signal: AbortSignal): Promise<undefined> {
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  return undefined;
}
