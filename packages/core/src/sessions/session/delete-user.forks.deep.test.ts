import { describe, expect, inject, it } from "vitest";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { atEachCall } from "../storage/test/at-each-call.ts";
import { drivers } from "../storage/test/drivers.ts";
import { namespaces } from "./session-keys.ts";
import { SessionStore } from "./session-store.ts";
import { appendAll } from "./test/turns.ts";

const owner = { userId: "ünal" };
const access = { owner };
/** The share of the calls before which another process works. */
const oneIn = { few: 5, many: 1 }[inject("trials")];
/** Storage that several processes can use. */
const shared = drivers.filter(([, create]) => create().compareAndSet !== undefined);

/** Makes a storage with a session of three turns, and a fork of it. */
async function seeded(create: () => StorageDriver): Promise<StorageDriver> {
  const driver = create();
  const store = new SessionStore(driver);
  await appendAll(store, ["a", "b", "c"], access);
  await store.fork("s", { seq: 2, forkId: "m" }, access);
  return driver;
}

/** Forks a session, and that fork. Either fork may be refused because its source is being deleted. */
async function forkTwice(driver: StorageDriver, [first, second]: readonly [string, string]): Promise<void> {
  const store = new SessionStore(driver);
  const seq = 2;
  for (const [source, forkId] of [
    ["s", first],
    [first, second],
  ] as const) {
    await store.fork(source, { seq, forkId }, access).catch((error: unknown) => {
      if (!["not_found", "conflict"].includes((error as { code: string }).code)) throw error;
    });
  }
}

async function deleteUser(driver: StorageDriver): Promise<void> {
  await new SessionStore(driver).deleteUser(owner.userId);
}

/** Returns the places of all records of sessions. */
async function leftIn(driver: StorageDriver): Promise<string[]> {
  const names = Object.values(namespaces).filter((name) => name !== namespaces.locks);
  const lists = await Promise.all(names.map((name) => driver.list(name)));
  return lists.flatMap((list, index) => list.map(({ key }) => `${names[index]} ${key}`));
}

describe.each(shared)("the deletion of a user, over storage with %s", (_offer, create) => {
  // Sessions are deleted in the order of their ids, so that the forks come before or after those deleted already.
  it.each([["a", "b"] as const, ["z", "b"] as const, ["y", "z"] as const])(
    "leaves nothing of the forks %s and %s, whenever another process makes them meanwhile",
    async (...ids) => {
      await atEachCall(async (slowed, at) => {
        const driver = await seeded(create);
        await deleteUser(slowed(driver, async () => await forkTwice(driver, ids)));
        expect([at, await leftIn(driver)]).toEqual([at, []]);
      }, oneIn);
    },
  );

  it("leaves nothing of forks whose maker it overtakes, at whatever call", async () => {
    await atEachCall(async (slowed, at) => {
      const driver = await seeded(create);
      await forkTwice(
        slowed(driver, async () => await deleteUser(driver)),
        ["a", "z"],
      );
      if (at === 0) await deleteUser(driver);
      expect([at, await leftIn(driver)]).toEqual([at, []]);
    }, oneIn);
  });
});
