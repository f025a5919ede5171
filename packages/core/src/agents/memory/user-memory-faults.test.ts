import { describe, expect, it } from "vitest";
import { drivers } from "../../sessions/storage/test/drivers.ts";
import { FaultInjector } from "../../sessions/storage/test/fault-injector.ts";
import { recordQueuesOf } from "../../sessions/lock/session-queues.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { exchange } from "./test/conversation.ts";
import { faultCases, forEachCall, untilDone } from "./test/each-call.ts";
import { UserMemory } from "./user-memory.ts";

const textsOf = async (memory: UserMemory) => (await memory.getFacts("u")).map(({ fact }) => fact);

describe.each(faultCases)("UserMemory over storage with $offer that $fault", ({ create, fault }) => {
  it("adds facts once when it is repeated, and removes those beyond maxFacts, whichever call fails", async () => {
    const strikes = await forEachCall({ create, fault }, async (trial) => {
      const memory = new UserMemory({ storage: trial.watched.driver, maxFacts: 3 });
      await memory.addFacts("u", ["a", "b"]);
      await untilDone(trial, (signal) => memory.addFacts("u", ["c", "d"], "manual", { signal }));

      expect((await textsOf(memory)).slice(1).toSorted()).toEqual(["c", "d"]);
      expect(await textsOf(memory)).toContain("b");
      await memory.addFacts("u", ["e"]);
      expect(await trial.watched.driver.list("facts")).toHaveLength(3);
      expect(recordQueuesOf(trial.watched.driver).busyKeys).toBe(0);
    });
    expect(strikes).toBeGreaterThanOrEqual(2);
  });

  it("stores found facts once when it is repeated, whichever call fails", async () => {
    const strikes = await forEachCall({ create, fault }, async (trial) => {
      const model = new ScriptedModel().respond(() => ({ structured: { facts: ["x", "y"] } }));
      const memory = new UserMemory({ storage: trial.watched.driver });
      await memory.addFacts("u", ["a"]);
      await untilDone(trial, (signal) => memory.extractAndStore("u", exchange("1"), model, { signal }));

      expect((await textsOf(memory)).toSorted()).toEqual(["a", "x", "y"]);
    });
    expect(strikes).toBeGreaterThanOrEqual(3);
  });

  it("gives a reader the stored facts or an error, and never a user without facts", async () => {
    await forEachCall({ create, fault }, async (trial) => {
      const memory = new UserMemory({ storage: trial.watched.driver });
      await memory.addFacts("u", ["a"]);
      trial.plan();
      const seen: unknown = await memory.getContextString("u", { signal: trial.signal }).catch(() => "error");
      trial.watched.disarm();

      expect(seen).toMatch(/^- a$|^error$/m);
    });
  });

  it("clears when it is repeated, whichever call fails", async () => {
    await forEachCall({ create, fault }, async (trial) => {
      const memory = new UserMemory({ storage: trial.watched.driver });
      await memory.addFacts("u", ["a", "b"]);
      await untilDone(trial, (signal) => memory.clear("u", { signal }));

      expect(await trial.watched.driver.list("facts")).toEqual([]);
      await memory.addFacts("u", ["c"]);
      expect(await textsOf(memory)).toEqual(["c"]);
    });
  });
});

it("a UserMemory changes several facts in one write, when the storage has transactions", async () => {
  const watched = new FaultInjector(new InMemoryStorage());
  const memory = new UserMemory({ storage: watched.driver, maxFacts: 2 });
  await memory.addFacts("u", ["a", "b"]);
  await memory.addFacts("u", ["c", "d"]);

  expect(watched.calls).toEqual(["list of 0", "transaction", "list of 2", "transaction"]);
  expect(await textsOf(memory)).toEqual(["c", "d"]);
});

it.each(drivers)("a UserMemory does not let a late write bring back cleared facts, over %s", async (_, create) => {
  const watched = new FaultInjector(create());
  const abort = new AbortController();
  const memory = new UserMemory({ storage: watched.driver });
  watched.plan({ fault: "hangs and does it later", atCall: 2, onHang: () => abort.abort() });
  const added = memory.addFacts("u", ["late"], "manual", { signal: abort.signal });
  await expect(added).rejects.toMatchObject({ code: "cancelled" });
  const cleared = memory.clear("u");
  await new Promise((resolve) => setImmediate(resolve));
  watched.disarm();
  await cleared;

  expect(await memory.getFacts("u")).toEqual([]);
});
