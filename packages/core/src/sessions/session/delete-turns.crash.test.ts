import { describe, expect, it } from "vitest";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { drivers } from "../storage/test/drivers.ts";
import { deaths, DyingDriver } from "../storage/test/dying-driver.ts";
import { sessionKey } from "./session-keys.ts";
import { SessionStore } from "./session-store.ts";
import { appendAll, loadNames } from "./test/turns.ts";

const cases = drivers.flatMap(([offer, create]) => deaths.map((death) => ({ offer, create, death })));

describe.each(cases)("a deletion of turns with a crash $death call, over storage with $offer", ({ create, death }) => {
  it("leaves all turns or none of them, for every reader [session.delete-turns-crash]", async () => {
    const seen = new Set<string>();
    for (let atCall = 1; ; atCall++) {
      const driver = create();
      await appendAll(new SessionStore(driver), ["a", "b", "c", "d", "e"]);
      await new SessionStore(driver).deleteTurns("s", 5);
      await appendAll(new SessionStore(driver), ["f"]);
      const isOver = await crashedAt(driver, { atCall, death });

      const store = new SessionStore(driver);
      const [old, cut] = [
        ["a", "b", "c", "d", "f"],
        ["a", "b"],
      ];
      const read = await readNames(store);
      expect([old, cut]).toContainEqual(read);
      const afterwards = read.length === 2 ? cut : old;
      for (const limit of [1, 2, 3]) expect(await readNames(store, limit)).toEqual(afterwards);
      expect(await loadNames(store)).toEqual(afterwards);
      expect(await loadNames(store, 2)).toEqual(afterwards.slice(-2));
      await appendAll(store, ["g"]);
      expect(await readNames(store)).toEqual([...afterwards, "g"]);
      expect((await store.readTurns("s", { limit: 100 })).turns.at(-1)?.seq).toBe(7);
      expect(await store.readSession("s")).toMatchObject({ turns: afterwards.length + 1 });
      expect(JSON.stringify(await driver.list("turns")).includes("Look at c")).toBe(afterwards === old);
      seen.add(afterwards.join(""));
      if (isOver) break;
    }
    expect([...seen]).toEqual(["abcdf", "ab"]);
  });
});

/** Lets a process crash while it deletes the turns from the third on. Returns true when it was done before. */
async function crashedAt(driver: StorageDriver, plan: ConstructorParameters<typeof DyingDriver>[1]): Promise<boolean> {
  const dying = new DyingDriver(driver, plan);
  await new SessionStore(dying.driver).deleteTurns("s", 3).catch(() => undefined);
  // Its lease has expired.
  await driver.delete("locks", sessionKey({}, "s"));
  return !dying.hasDied;
}

async function readNames(store: SessionStore, limit = 100): Promise<string[]> {
  const names: string[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = await store.readTurns("s", { limit, after });
    names.push(...page.turns.map(({ runId }) => runId));
    after = page.next;
  }
  return names;
}
