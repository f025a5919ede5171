import { describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { Write } from "../storage/storage-driver.ts";
import { SharedStorage } from "../storage/test/shared-storage.ts";
import type { OpenSession } from "./open-session.ts";
import { namespaces, sessionKey } from "./session-keys.ts";
import { SessionStore } from "./session-store.ts";
import { turnNamed, withSession } from "./test/turns.ts";

const turns = 230;
const owner = { userId: "ada" };
const key = sessionKey(owner, "s");

/** A connection whose process loses its lease once it has made its first change of turns. */
class OvertakenStorage extends SharedStorage {
  readonly #inner: InMemoryStorage;
  #isOvertaken = false;

  constructor(inner: InMemoryStorage) {
    super(inner);
    this.#inner = inner;
  }

  override async delete(namespace: string, id: string): Promise<void> {
    await super.delete(namespace, id);
    await this.#overtake(namespace);
  }

  override async transaction(writes: readonly Write[]): Promise<void> {
    await super.transaction(writes);
    await this.#overtake(writes[0]?.namespace);
  }

  async #overtake(namespace: string | undefined): Promise<void> {
    if (namespace !== "turns" || this.#isOvertaken) return;
    this.#isOvertaken = true;
    const positions = [{ process: "other", waiter: 1 }];
    await this.#inner.set("locks", key, { v: 1, token: Date.now() * 2000, positions, processes: [] });
  }
}

async function seeded(): Promise<InMemoryStorage> {
  const storage = new InMemoryStorage();
  const add = async (session: OpenSession) => {
    for (let number = 1; number <= turns; number++) await session.appendTurn(turnNamed(`${number}`));
  };
  await withSession(new SessionStore(storage), add, { owner });
  return storage;
}

/** Returns the number of turns that are as they were. */
async function wholeIn(storage: InMemoryStorage): Promise<number> {
  return (await storage.list("turns")).filter(({ value }) => JSON.stringify(value).includes("Look at")).length;
}

const works: [what: string, work: (store: SessionStore) => Promise<void>][] = [
  ["the deletion of a session", async (store) => await store.deleteSession("s", { owner })],
  ["the deletion of a user", async (store) => await store.deleteUser("ada")],
  ["the deletion of turns", async (store) => await store.deleteTurns("s", 1, { owner })],
];

describe.each(works)("%s with many pages of turns", (_what, work) => {
  it("goes no further than the page at which another process has taken the lease over [lock.pages]", async () => {
    const storage = await seeded();
    const working = work(new SessionStore(new OvertakenStorage(storage)));
    await expect(working).rejects.toMatchObject({ code: "conflict" });

    expect(await wholeIn(storage)).toBe(turns - 100);
    expect(await storage.get("sessions", key)).not.toBeNull();
  });
});

it("a storage has no more than eight pieces of large data in memory while a session is deleted", async () => {
  const storage = await seeded();
  for (let number = 10; number < 40; number++) await storage.set(namespaces.turnParts, `${key}/${number}`, "Æ");
  const list = vi.spyOn(storage, "list");

  await new SessionStore(storage).deleteSession("s", { owner });

  const pages = list.mock.calls.filter(([namespace]) => namespace === namespaces.turnParts);
  expect(pages.length).toBeGreaterThan(3);
  for (const [, , options] of pages) expect(options?.limit).toBeLessThanOrEqual(8);
  expect(await storage.list(namespaces.turnParts)).toEqual([]);
});
