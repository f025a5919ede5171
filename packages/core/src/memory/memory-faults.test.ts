import { describe, expect, it } from "vitest";
import { getTextContent } from "../message/content.ts";
import { drivers } from "../storage/test/drivers.ts";
import { FaultInjector } from "../storage/test/fault-injector.ts";
import { recordQueuesOf } from "../lock/session-queues.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { Memory } from "./memory.ts";
import { exchange } from "./test/conversation.ts";
import { faultCases, forEachCall, untilDone } from "./test/each-call.ts";
import type { Trial } from "./test/each-call.ts";

describe.each(faultCases)("Memory over storage with $offer that $fault", ({ create, fault }) => {
  it.each([undefined, 2])(
    "adds messages once when it is repeated, whichever call fails (through %s)",
    async (through) => {
      const strikes = await forEachCall({ create, fault }, async (trial) => {
        const memory = await withOneTurn(trial);
        await untilDone(trial, (signal) => memory.addMessages("a", exchange("x"), { through, signal }));

        expect(await memory.getMessages("a")).toEqual([...exchange("1"), ...exchange("x")]);
        await expectGoesOn(memory, trial);
      });
      expect(strikes).toBe(2);
    },
  );

  it("loses nothing on the way to a summary, whichever call fails", async () => {
    await forEachCall({ create, fault }, async (trial) => {
      const model = new ScriptedModel().respond(({ messages }) => getTextContent(messages.at(-1)?.content ?? null));
      const storage = trial.watched.driver;
      const memory = new Memory({ storage, enableLongTerm: true, maxShortTermMessages: 2, model });
      await memory.addMessages("a", exchange("1"));
      await untilDone(trial, (signal) => memory.addMessages("a", exchange("x"), { signal }));

      expect(await memory.getMessages("a")).toEqual(exchange("x"));
      expect(await memory.getSummaries("a")).toEqual([expect.stringContaining("Answer 1.")]);
      await expectQuiet(trial);
    });
  });

  it("gives a reader the stored messages or an error, and never an empty session", async () => {
    await forEachCall({ create, fault }, async (trial) => {
      const memory = await withOneTurn(trial);
      trial.plan();
      const read = memory.recall("a", { signal: trial.signal });

      const seen: unknown = await read.then(({ messages }) => messages).catch(() => "error");
      trial.watched.disarm();
      expect([exchange("1"), "error"]).toContainEqual(seen);
    });
  });

  it("clears when it is repeated, whichever call fails", async () => {
    await forEachCall({ create, fault }, async (trial) => {
      const memory = await withOneTurn(trial);
      await untilDone(trial, (signal) => memory.clear("a", { signal }));

      expect(await memory.getMessages("a")).toEqual([]);
      await expectGoesOn(memory, trial);
    });
  });
});

it("adds other messages after a write whose outcome is not known", async () => {
  const watched = new FaultInjector(new InMemoryStorage());
  const memory = new Memory({ storage: watched.driver });
  watched.plan({ fault: "fails after it did everything", atCall: 2 });
  await expect(memory.addMessages("a", exchange("x"))).rejects.toThrow("planned");
  await memory.addMessages("a", exchange("y"));
  await memory.addMessages("a", exchange("x"));

  expect(await memory.getMessages("a")).toEqual(["x", "y", "x"].flatMap(exchange));
});

it.each(drivers)("does not let a late write replace a later one, over %s", async (_, create) => {
  const watched = new FaultInjector(create());
  const abort = new AbortController();
  const memory = new Memory({ storage: watched.driver });
  watched.plan({ fault: "hangs and does it later", atCall: 2, onHang: () => abort.abort() });
  await expect(memory.addMessages("a", exchange("late"), { signal: abort.signal })).rejects.toMatchObject({
    code: "cancelled",
  });
  const added = memory.addMessages("a", exchange("behind"));
  await new Promise((resolve) => setImmediate(resolve));
  watched.disarm();
  await added;

  expect(await memory.getMessages("a")).toEqual([...exchange("late"), ...exchange("behind")]);
});

async function withOneTurn({ watched }: Trial): Promise<Memory> {
  const memory = new Memory({ storage: watched.driver });
  await memory.addMessages("a", exchange("1"), { through: 1 });
  return memory;
}

async function expectGoesOn(memory: Memory, trial: Trial): Promise<void> {
  const before = await memory.getMessages("a");
  await memory.addMessages("a", exchange("y"));
  // The same words again are no repetition when nothing failed.
  await memory.addMessages("a", exchange("y"));

  expect(await memory.getMessages("a")).toEqual([...before, ...exchange("y"), ...exchange("y")]);
  await expectQuiet(trial);
}

async function expectQuiet({ watched }: Trial): Promise<void> {
  await Promise.resolve();
  expect(recordQueuesOf(watched.driver).busyKeys).toBe(0);
}
