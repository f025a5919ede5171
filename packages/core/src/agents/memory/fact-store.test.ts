import { describe, expect, it } from "vitest";
import { ownerPrefix } from "../../sessions/session/session-keys.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { UserOwner } from "../../sessions/storage/session-owner.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { drivers } from "../../sessions/storage/test/drivers.ts";
import { FaultInjector } from "../../sessions/storage/test/fault-injector.ts";
import { MapStorage } from "../../sessions/storage/test/map-storage.ts";
import { changeFacts, listFacts, removeFact, removeFacts } from "./fact-store.ts";
import type { FactAccess } from "./fact-store.ts";
import type { FactChanges } from "./plan-facts.ts";
import type { StoredFact } from "./user-fact.ts";

const user: UserOwner = { userId: "u" };
const others: UserOwner[] = [{ userId: "u", tenantId: "t" }, { userId: "u", verified: false }, { userId: "u2" }];

const factOf = (id: string, order = 1): StoredFact => ({
  v: 1,
  id,
  fact: `Fact ${id}`,
  source: "manual",
  createdAt: 5,
  order,
});

type Access = Partial<FactAccess> & { drivers: FactAccess["drivers"] };

function accessTo({ drivers: known, target = known[0], signal, ...rest }: Access): FactAccess {
  return { user, ...rest, drivers: known, target, signal };
}

const change = async (access: FactAccess, { stored = [], removed = [] }: Partial<FactChanges>) =>
  await changeFacts(access, () => ({ stored, removed }));

const idsIn = async (driver: StorageDriver) => (await driver.list("facts")).map(({ key }) => key);

/** A driver whose calls take a while. */
function slow(driver: StorageDriver): StorageDriver {
  return new Proxy(driver, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return async (...args: unknown[]) => {
        await new Promise((resolve) => setImmediate(resolve));
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
}

describe.each(drivers)("facts in a storage with %s", (_offer, create) => {
  it("are records of their own, whose keys hold owner and id", async () => {
    const driver = create();
    const access = accessTo({ drivers: [driver] });
    const facts = [factOf("a/ b%"), factOf("b", 2)];

    expect(await change(access, { stored: facts })).toEqual(facts);
    const { id: _, ...record } = factOf("b", 2);
    expect(await driver.list("facts")).toEqual([
      { key: "-/u/a%2F%20b%25", value: { ...record, fact: "Fact a/ b%", order: 1 } },
      { key: "-/u/b", value: record },
    ]);
    expect(await listFacts(access)).toEqual(facts);
  });

  it("are those of one owner alone", async () => {
    const driver = create();
    for (const owner of [user, ...others]) {
      await change(accessTo({ drivers: [driver], user: owner }), { stored: [factOf("a"), factOf("b")] });
    }
    const access = accessTo({ drivers: [driver] });
    await removeFact(access, "a");
    expect((await listFacts(access)).map(({ id }) => id)).toEqual(["b"]);
    await change(access, { removed: [factOf("b")] });
    await change(access, { stored: [factOf("c")] });
    await removeFacts(access);

    expect(await listFacts(access)).toEqual([]);
    for (const owner of others) {
      expect(await listFacts(accessTo({ drivers: [driver], user: owner }))).toEqual([factOf("a"), factOf("b")]);
    }
  });

  it("are stored or removed when the call resolves", async () => {
    const driver = create();
    const access = accessTo({ drivers: [slow(driver)] });
    await change(access, { stored: [factOf("a"), factOf("b"), factOf("c"), factOf("d")] });
    expect(await idsIn(driver)).toEqual(["-/u/a", "-/u/b", "-/u/c", "-/u/d"]);
    await change(access, { removed: [factOf("a")] });
    expect(await idsIn(driver)).toEqual(["-/u/b", "-/u/c", "-/u/d"]);
    await removeFact(access, "b");
    await removeFact(access, "unknown");
    expect(await idsIn(driver)).toEqual(["-/u/c", "-/u/d"]);
    await removeFacts(access);
    expect(await idsIn(driver)).toEqual([]);
  });

  it("are changed by one call at a time, each of which sees what the last has stored", async () => {
    const driver = slow(create());
    const access = accessTo({ drivers: [driver] });
    const seen: number[] = [];
    const add = async (id: string) =>
      await changeFacts(access, (known) => (seen.push(known.length), { stored: [factOf(id)], removed: [] }));
    const failing = changeFacts(access, () => {
      throw new Error("planned");
    });
    const [failed] = await Promise.allSettled([failing, add("a"), add("b"), add("c")]);

    expect([seen, failed.status]).toEqual([[0, 1, 2], "rejected"]);
  });

  it("are not read or changed for a signal that has aborted", async () => {
    const watched = new FaultInjector(create());
    const access = accessTo({ drivers: [watched.driver], signal: AbortSignal.abort() });

    for (const call of [listFacts(access), change(access, {}), removeFact(access, "a"), removeFacts(access)]) {
      await expect(call).rejects.toMatchObject({ code: "cancelled" });
    }
    expect(watched.calls.filter((name) => !name.startsWith("list"))).toEqual([]);
  });
});

describe("facts in two storages", () => {
  it("are changed where they are, and new ones go to the target", async () => {
    const [one, two] = [new InMemoryStorage(), new MapStorage()];
    for (const [driver, id] of [
      [one, "a"],
      [two, "b"],
      [two, "c"],
    ] as const) {
      await change(accessTo({ drivers: [driver] }), { stored: [factOf(id)] });
    }
    const access = accessTo({ drivers: [one, two], target: two });
    const stored = [factOf("a", 7), factOf("b", 8), factOf("d", 9)];
    await change(access, { stored, removed: [factOf("c")] });

    expect([await idsIn(one), await idsIn(two)]).toEqual([["-/u/a"], ["-/u/b", "-/u/d"]]);
    expect(await listFacts(access)).toEqual(stored);
    await removeFact(access, "b");
    expect([await idsIn(one), await idsIn(two)]).toEqual([["-/u/a"], ["-/u/d"]]);
    await removeFacts(access);
    expect([await idsIn(one), await idsIn(two)]).toEqual([[], []]);
  });

  it("count once when both hold them, as the first has them", async () => {
    const [one, two] = [new MapStorage(), new MapStorage()];
    await change(accessTo({ drivers: [one] }), { stored: [factOf("a", 1)] });
    await change(accessTo({ drivers: [two] }), { stored: [factOf("a", 2), factOf("b", 3)] });

    expect(await listFacts(accessTo({ drivers: [one, two] }))).toEqual([factOf("a", 1), factOf("b", 3)]);
    expect(await listFacts(accessTo({ drivers: [two, one] }))).toEqual([factOf("a", 2), factOf("b", 3)]);
  });
});

describe("the writes of facts", () => {
  it("are one transaction, or else new facts before old ones go, and none where nothing changes", async () => {
    const changed = { stored: [factOf("b"), factOf("c")], removed: [factOf("a")] };
    const callsOver = async (driver: StorageDriver) => {
      const watched = new FaultInjector(driver);
      const access = accessTo({ drivers: [watched.driver] });
      await change(access, {});
      await change(access, changed);
      return watched.calls;
    };

    expect(await callsOver(new InMemoryStorage())).toEqual(["list of 0", "list of 0", "transaction"]);
    expect(await callsOver(new MapStorage())).toEqual(["list of 0", "list of 0", "set", "set", "delete"]);
  });

  it("remove none when a new fact cannot be stored", async () => {
    const driver = new MapStorage();
    await change(accessTo({ drivers: [driver] }), { stored: [factOf("a")] });
    const watched = new FaultInjector(driver);
    watched.plan({ fault: "fails before it did anything", atCall: 2 });
    const access = accessTo({ drivers: [watched.driver] });

    await expect(change(access, { stored: [factOf("b")], removed: [factOf("a")] })).rejects.toThrow("planned");
    expect(await idsIn(driver)).toEqual(["-/u/a"]);
  });
});

it("the fact store refuses a damaged fact, with its place, until the facts are removed", async () => {
  const driver = new MapStorage();
  await driver.set("facts", `${ownerPrefix(user)}x`, { v: 1 });
  const access = accessTo({ drivers: [driver] });

  for (const call of [listFacts(access), change(access, { stored: [factOf("a")] })]) {
    await expect(call).rejects.toMatchObject({ code: "storage_corrupt", message: expect.stringContaining("-/u/x") });
  }
  await removeFacts(access);
  expect(await listFacts(access)).toEqual([]);
});

describe("facts of users who differ in one thing", () => {
  it.each(others)(
    "facts of users who differ in one thing of %j are changed while a change of the other user waits for its storage",
    async (other) => {
      const driver = new InMemoryStorage();
      const held = Promise.withResolvers<void>();
      const holding = new Proxy(driver, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name, target);
          if (typeof member !== "function") return member;
          return async (...args: unknown[]) => {
            if (JSON.stringify(args).includes("first")) await held.promise;
            return Reflect.apply(member, target, args) as unknown;
          };
        },
      });
      const first = change(accessTo({ drivers: [holding] }), { stored: [factOf("first")] });
      await new Promise(setImmediate);
      await change(accessTo({ drivers: [holding], user: other }), { stored: [factOf("second")] });

      expect(await idsIn(driver)).toEqual([`${ownerPrefix(other)}second`]);
      held.resolve();
      await first;
      expect(await idsIn(driver)).toHaveLength(2);
    },
  );
});
