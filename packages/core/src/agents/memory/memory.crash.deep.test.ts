import { describe, expect, inject, it } from "vitest";
import { namespaces, sessionKey } from "../../sessions/session/session-keys.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import { turnNamed, withSession } from "../../sessions/session/test/turns.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { drivers } from "../../sessions/storage/test/drivers.ts";
import { atEachDeath } from "../../sessions/storage/test/each-death.ts";
import type { DeathScene, SecondDeaths } from "../../sessions/storage/test/each-death.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { Memory } from "./memory.ts";
import { exchange } from "./test/conversation.ts";
import { UserMemory } from "./user-memory.ts";
import { turnOptions } from "./test/turn-options.ts";

/** The calls at which a process dies a second time, and the share of those at which it dies. */
const trials: [SecondDeaths, number] = inject("trials") === "many" ? ["near", 1] : ["none", 4];
const owner = { userId: "ada" };
const [one, two] = [exchange("one"), exchange("two")];

function memoryOf(driver: StorageDriver): Memory {
  return new Memory({ storage: driver });
}

/** Returns all keys that name a user, but for the locks of sessions. */
async function keysOf(driver: StorageDriver, name: string): Promise<string[]> {
  const lists = await Promise.all(Object.values(namespaces).map(async (namespace) => await driver.list(namespace)));
  const all = lists.flatMap((list, index) => list.map(({ key }) => `${Object.values(namespaces)[index]} ${key}`));
  return all.filter((key) => key.includes(name) && !key.startsWith(`${namespaces.locks} `));
}

async function addTurn(driver: StorageDriver, sessionId: string, of: { userId: string }): Promise<void> {
  await withSession(new SessionStore(driver), (session) => session.appendTurn(turnNamed("a")), {
    sessionId,
    owner: of,
  });
  await memoryOf(driver).addMessages(sessionId, one, turnOptions({ ...of, through: 1 }));
}

async function factsIn(driver: StorageDriver): Promise<string[]> {
  const facts = await new UserMemory({ storage: driver }).getFacts("ada");
  return facts.map(({ fact }) => fact).toSorted();
}

function ifGone(error: unknown): void {
  if (!TroupeError.is(error) || error.code !== "not_found") throw error;
}

const removals: [what: string, remove: (driver: StorageDriver) => Promise<unknown>][] = [
  ["user", async (driver) => await new SessionStore(driver).deleteUser("ada")],
  ["session", async (driver) => await new SessionStore(driver).deleteSession("s", { owner }).catch(ifGone)],
];

const clearings: [what: string, scope: { userId?: string }][] = [
  ["its owner and id", owner],
  ["its id alone", {}],
];

describe.each(drivers)("memory and a crash at any call, over storage with %s", (_offer, create) => {
  async function expectAtEach(
    scene: Omit<DeathScene, "create" | "left"> & Partial<Pick<DeathScene, "create" | "left">>,
  ) {
    const expire = async (driver: StorageDriver) => {
      for (const id of ["s", "s/r#m"]) await driver.delete("locks", sessionKey(owner, id));
    };
    await atEachDeath({ create: async () => create(), left: async () => {}, expire, ...scene }, ...trials);
  }

  it("has the messages of a turn once, and their entry by the id, when they are added again [memory.crash]", async () => {
    for (const before of [[], one]) {
      await expectAtEach({
        create: async () => {
          const driver = create();
          if (before.length > 0) await memoryOf(driver).addMessages("s", before, turnOptions({ ...owner, through: 1 }));
          return driver;
        },
        act: async (driver) => await memoryOf(driver).addMessages("s", two, turnOptions({ ...owner, through: 2 })),
        left: async (driver) => {
          const found = await memoryOf(driver).getMessages("s", owner);
          expect([before, [...before, ...two]]).toContainEqual(found);
          expect(await memoryOf(driver).getMessages("s")).toEqual(found);
        },
        done: async (driver) => {
          expect(await memoryOf(driver).getMessages("s")).toEqual([...before, ...two]);
          expect(await driver.list("memory-by-id")).toHaveLength(1);
        },
      });
    }
  });

  it("has what was added before the session once, and its turn behind it [memory.crash]", async () => {
    await expectAtEach({
      create: async () => {
        const driver = create();
        await memoryOf(driver).addMessages("s", one);
        return driver;
      },
      act: async (driver) => {
        await memoryOf(driver).recall("s", { ...owner, takesSeed: true });
        await memoryOf(driver).addMessages("s", two, turnOptions({ ...owner, through: 1 }));
      },
      left: async (driver) => {
        const found = await memoryOf(driver).getMessages("s");
        expect([one, [...one, ...two]]).toContainEqual(found);
      },
      done: async (driver) => {
        expect(await memoryOf(driver).getMessages("s", owner)).toEqual([...one, ...two]);
        expect(await memoryOf(driver).getMessages("s")).toEqual([...one, ...two]);
        expect(await driver.list("memory-by-id")).toHaveLength(1);
      },
    });
  });

  it.each(removals)("leaves nothing of a %s whose removal is repeated [memory.crash]", async (what, remove) => {
    await expectAtEach({
      create: async () => {
        const driver = create();
        await addTurn(driver, "s", owner);
        await addTurn(driver, "t", { userId: "bob" });
        await addTurn(driver, "s/r#m", owner);
        if (what === "session") return driver;
        await memoryOf(driver).addMessages("without-a-session", one, owner);
        await new UserMemory({ storage: driver }).addFacts("ada", ["Likes tea.", "Lives in Oslo."]);
        return driver;
      },
      act: remove,
      done: async (driver) => {
        // The list of sessions drops an entry without a session after a day.
        const left = (await keysOf(driver, "ada")).filter((key) => !key.startsWith("session-recent"));
        expect(left).toEqual([]);
        expect((await new SessionStore(driver).listSessions(owner)).sessions).toEqual([]);
        expect(await memoryOf(driver).getMessages("t", { userId: "bob" })).toEqual(one);
      },
    });
  });

  it.each(clearings)(
    "leaves nothing of a memory whose clearing by %s is repeated [memory.crash]",
    async (_what, scope) => {
      await expectAtEach({
        create: async () => {
          const driver = create();
          await memoryOf(driver).addMessages("s", one);
          await memoryOf(driver).recall("s", { ...owner, takesSeed: true });
          await memoryOf(driver).addMessages("t", one, owner);
          return driver;
        },
        act: async (driver) => await memoryOf(driver).clear("s", scope),
        left: async (driver) => expect([[], one]).toContainEqual(await memoryOf(driver).getMessages("s", owner)),
        done: async (driver) => {
          expect(await memoryOf(driver).getMessages("s", { ...owner })).toEqual([]);
          expect(await memoryOf(driver).recall("s", { ...owner, takesSeed: true })).toMatchObject({ messages: [] });
          expect((await keysOf(driver, "ada")).filter((key) => !key.includes("t"))).toEqual([]);
          expect(await memoryOf(driver).getMessages("t", owner)).toEqual(one);
        },
      });
    },
  );

  it("has the facts of a user once, when they are added again [memory.crash]", async () => {
    await expectAtEach({
      create: async () => {
        const driver = create();
        await new UserMemory({ storage: driver }).addFacts("ada", ["Likes tea.", "Lives in Oslo."]);
        return driver;
      },
      act: async (driver) => {
        await new UserMemory({ storage: driver, maxFacts: 3 }).addFacts("ada", ["Has a cat.", "Likes coffee."]);
      },
      left: async (driver) => expect((await factsIn(driver)).length).toBeGreaterThan(1),
      done: async (driver) => expect(await factsIn(driver)).toEqual(["Has a cat.", "Likes coffee.", "Lives in Oslo."]),
    });
  });
});
