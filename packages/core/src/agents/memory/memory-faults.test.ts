import { describe, expect, it } from "vitest";
import { getTextContent } from "../../base/message/content.ts";
import { drivers } from "../../sessions/storage/test/drivers.ts";
import { FaultInjector } from "../../sessions/storage/test/fault-injector.ts";
import { recordQueuesOf } from "../../sessions/lock/session-queues.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Memory } from "./memory.ts";
import type { MemoryScope } from "./memory-options.ts";
import { exchange } from "./test/conversation.ts";
import { faultCases, forEachCall, untilDone } from "./test/each-call.ts";
import type { Trial } from "./test/each-call.ts";
import { turnOptions } from "./test/turn-options.ts";

const noUser = { userId: undefined };
/** The session without a user, as its owner reaches it and as the program does. */
const scopes: [name: string, scope: MemoryScope, calls: number][] = [
  ["of its owner", noUser, 2],
  ["of the program", {}, 4],
];

describe.each(faultCases)("Memory over storage with $offer that $fault", ({ create, fault }) => {
  it.each(scopes.flatMap(([name, scope, calls]) => [undefined, 2].map((through) => ({ name, scope, calls, through }))))(
    "adds messages once when a call $name is repeated, whichever of the storage fails (through $through)",
    async ({ scope, calls, through }) => {
      const strikes = await forEachCall({ create, fault }, async (trial) => {
        const memory = await withOneTurn(trial);
        await untilDone(trial, (signal) =>
          memory.addMessages("a", exchange("x"), turnOptions({ ...scope, through, signal })),
        );

        expect(await memory.getMessages("a")).toEqual([...exchange("1"), ...exchange("x")]);
        await expectGoesOn(memory, trial);
      });
      expect(strikes).toBe(calls);
    },
  );

  it("adds the first messages of a session once, and lets the program find them, whichever call fails", async () => {
    await forEachCall({ create, fault }, async (trial) => {
      const memory = new Memory({ storage: trial.watched.driver });
      const owner = { userId: "ada" };
      await untilDone(trial, (signal) => memory.addMessages("a", exchange("x"), { ...owner, signal }));

      expect(await memory.getMessages("a", owner)).toEqual(exchange("x"));
      expect(await memory.getMessages("a")).toEqual(exchange("x"));
      await expectGoesOn(memory, trial);
    });
  });

  it("moves what the program has added to the first session that takes it, once, whichever call fails", async () => {
    await forEachCall({ create, fault }, async (trial) => {
      const storage = trial.watched.driver;
      const memory = new Memory({ storage });
      const owner = { userId: "ada" };
      await memory.addMessages("a", exchange("seed"));
      await untilDone(trial, async (signal) => {
        await memory.recall("a", { ...owner, signal, takesSeed: true });
        await memory.addMessages("a", exchange("x"), turnOptions({ ...owner, signal, through: 1 }));
      });
      await memory.recall("a", { userId: "bob", takesSeed: true });

      expect(await memory.getMessages("a", owner)).toEqual([...exchange("seed"), ...exchange("x")]);
      expect((await storage.list("memory-by-id")).map(({ key }) => key)).toEqual(["a/-/ada"]);
      await expectGoesOn(memory, trial);
    });
  });

  it("loses nothing on the way to a summary, whichever call fails", async () => {
    await forEachCall({ create, fault }, async (trial) => {
      const model = new ScriptedModel().respond(({ messages }) => getTextContent(messages.at(-1)?.content ?? null));
      const storage = trial.watched.driver;
      const memory = new Memory({ storage, enableLongTerm: true, maxShortTermMessages: 2, model });
      await memory.addMessages("a", exchange("1"), noUser);
      await untilDone(trial, (signal) => memory.addMessages("a", exchange("x"), { ...noUser, signal }));

      expect(await memory.getMessages("a")).toEqual(exchange("x"));
      expect(await memory.getSummaries("a")).toEqual([expect.stringContaining("Answer 1.")]);
      await expectQuiet(trial);
    });
  });

  it.each(scopes)("gives a reader %s the stored messages or an error, and never an empty session", async (_, scope) => {
    await forEachCall({ create, fault }, async (trial) => {
      const memory = await withOneTurn(trial);
      trial.plan();
      const read = memory.recall("a", { ...scope, signal: trial.signal });

      const seen: unknown = await read.then(({ messages }) => messages).catch(() => "error");
      trial.watched.disarm();
      expect([exchange("1"), "error"]).toContainEqual(seen);
    });
  });

  it.each(scopes)("clears when a call %s is repeated, whichever of the storage fails", async (_, scope) => {
    await forEachCall({ create, fault }, async (trial) => {
      const memory = await withOneTurn(trial);
      await untilDone(trial, (signal) => memory.clear("a", { ...scope, signal }));

      expect(await memory.getMessages("a")).toEqual([]);
      await expectGoesOn(memory, trial);
    });
  });
});

it("a memory adds other messages after a write whose outcome is not known", async () => {
  const watched = new FaultInjector(new InMemoryStorage());
  const memory = new Memory({ storage: watched.driver });
  await memory.addMessages("a", exchange("1"), noUser);
  watched.plan({ fault: "fails after it did everything", atCall: 2 });
  await expect(memory.addMessages("a", exchange("x"), noUser)).rejects.toThrow("planned");
  await memory.addMessages("a", exchange("y"), noUser);
  await memory.addMessages("a", exchange("x"), noUser);

  expect(await memory.getMessages("a")).toEqual(["1", "x", "y", "x"].flatMap(exchange));
});

it.each(drivers)("a memory does not let a late write replace a later one, over %s", async (_, create) => {
  const watched = new FaultInjector(create());
  const abort = new AbortController();
  const memory = new Memory({ storage: watched.driver });
  await memory.addMessages("a", exchange("1"), noUser);
  watched.plan({ fault: "hangs and does it later", atCall: 2, onHang: () => abort.abort() });
  await expect(memory.addMessages("a", exchange("late"), { ...noUser, signal: abort.signal })).rejects.toMatchObject({
    code: "cancelled",
  });
  const added = memory.addMessages("a", exchange("behind"), noUser);
  await new Promise((resolve) => setImmediate(resolve));
  watched.disarm();
  await added;

  expect(await memory.getMessages("a")).toEqual(["1", "late", "behind"].flatMap(exchange));
});

async function withOneTurn({ watched }: Trial): Promise<Memory> {
  const memory = new Memory({ storage: watched.driver });
  await memory.addMessages("a", exchange("1"), turnOptions({ ...noUser, through: 1 }));
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
