import { describe, expect, it } from "vitest";
import type { ContentPart } from "../../base/message/content.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { drivers } from "../storage/test/drivers.ts";
import { deaths, DyingDriver } from "../storage/test/dying-driver.ts";
import { sessionKey } from "./session-keys.ts";
import { SessionStore } from "./session-store.ts";
import { turnNamed, withSession } from "./test/turns.ts";

const cases = drivers.flatMap(([offer, create]) => deaths.map((death) => ({ offer, create, death })));

/** Returns the image of a turn, of three pieces. */
function imageOf(name: string): ContentPart {
  return { type: "image", mimeType: "image/png", data: Buffer.alloc(600_000, name).toString("base64") };
}

/** Returns the key of a turn of the session. */
function keyOf(seq: number): string {
  return `-/-/s/00000000000${seq}`;
}

async function append(store: SessionStore, name: string): Promise<void> {
  await withSession(store, (session) => session.appendTurn({ ...turnNamed(name), input: [imageOf(name)] }));
}

/** Returns the names of the turns, each of which must have its own image. */
async function readWhole(store: SessionStore): Promise<string[]> {
  const { turns } = await store.readTurns("s", { limit: 100 });
  for (const { runId, input } of turns) expect(input).toEqual([imageOf(runId)]);
  return turns.map(({ runId }) => runId);
}

/** Lets a process crash while it works on the session, whose lease then expires. Returns true when it was done before. */
async function crash(
  driver: StorageDriver,
  plan: ConstructorParameters<typeof DyingDriver>[1],
  work: (store: SessionStore) => Promise<void>,
): Promise<boolean> {
  const dying = new DyingDriver(driver, plan);
  await work(new SessionStore(dying.driver)).catch(() => undefined);
  await driver.delete("locks", sessionKey({}, "s"));
  return !dying.hasDied;
}

describe.each(cases)("a turn with large data and a crash $death call, over storage with $offer", (each) => {
  const { create, death } = each;

  it("is stored whole or not at all, and its pieces never get into another turn [session.parts-crash]", async () => {
    const seen = new Set<string>();
    for (let atCall = 1, isOver = false; !isOver; atCall++) {
      const driver = create();
      await append(new SessionStore(driver), "a");
      isOver = await crash(driver, { atCall, death }, (store) => append(store, "b"));

      const store = new SessionStore(driver);
      const names = await readWhole(store);
      expect([["a"], ["a", "b"]]).toContainEqual(names);
      await append(store, "c");
      expect(await readWhole(store)).toEqual([...names, "c"]);
      expect(await driver.list("turn-parts")).toHaveLength(3 * (names.length + 1));
      await store.deleteSession("s");
      expect(await driver.list("turn-parts")).toEqual([]);
      seen.add(names.join(""));
    }
    expect([...seen]).toEqual(["a", "ab"]);
  });

  it("is deleted with its data when the deletion is made again [session.parts-crash]", async () => {
    for (let atCall = 1, isOver = false; !isOver; atCall++) {
      const driver = create();
      const store = new SessionStore(driver);
      for (const name of ["a", "b", "c"]) await append(store, name);
      isOver = await crash(driver, { atCall, death }, (dying) => dying.deleteTurns("s", 2));

      await new SessionStore(driver).deleteTurns("s", 2);
      expect(await readWhole(new SessionStore(driver))).toEqual(["a"]);
      expect(await driver.list("turn-parts")).toHaveLength(3);
    }
  });

  it("is deleted with data that it stored under a number that another process took [session.parts-crash]", async () => {
    for (let atCall = 1, isOver = false; !isOver; atCall++) {
      const driver = create();
      const store = new SessionStore(driver);
      for (const name of ["a", "b", "c"]) await append(store, name);
      await store.deleteTurns("s", 3);
      const [first, second] = [await driver.get("turns", keyOf(1)), await driver.get("turns", keyOf(2))];
      await driver.set("turns", keyOf(3), second);
      await driver.set("turns", keyOf(2), first);
      isOver = await crash(driver, { atCall, death }, (dying) => dying.deleteTurns("s", 3));

      await new SessionStore(driver).deleteTurns("s", 3);
      expect(await readWhole(new SessionStore(driver))).toEqual(["a", "a"]);
      expect(await driver.list("turn-parts")).toHaveLength(3);
    }
  });
});

describe("a turn whose number another process took first", () => {
  it("keeps its data, and loses it when it is deleted [session.parts]", async () => {
    const storage = new InMemoryStorage();
    await append(new SessionStore(storage), "a");
    let isFirst = true;
    const raced = new Proxy(storage, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function" || name === "compareAndSet") return undefined;
        return async (...args: unknown[]): Promise<unknown> => {
          if (name === "append" && isFirst) {
            isFirst = false;
            const other = await storage.get("turns", "-/-/s/000000000001");
            await storage.append("turns", "-/-/s/", other);
          }
          return await Reflect.apply(member, target, args);
        };
      },
    });

    await append(new SessionStore(raced), "c");

    expect(await readWhole(new SessionStore(storage))).toEqual(["a", "a", "c"]);
    await new SessionStore(storage).deleteTurns("s", 3);
    expect(await readWhole(new SessionStore(storage))).toEqual(["a", "a"]);
    expect(await storage.list("turn-parts")).toHaveLength(3);
  });
});
