import { describe, expect, it } from "vitest";
import { recordBytes } from "../../sessions/storage/record-bytes.ts";
import { BoundedFacts } from "./bounded-facts.ts";
import { UserMemory } from "./user-memory.ts";

describe("BoundedFacts", () => {
  it("drops all facts of the user who was least recently asked about", async () => {
    const storage = new BoundedFacts({ maxUsers: 2 });
    const memory = new UserMemory({ storage });
    await memory.addFacts("a", ["one", "two"]);
    await memory.addFacts("b", ["one", "two"]);
    await memory.getFacts("a");
    await memory.addFacts("c", ["one"]);

    expect(await memory.getFacts("a")).toHaveLength(2);
    expect(await memory.getFacts("b")).toEqual([]);
    expect(await storage.list("facts")).toHaveLength(3);
  });

  it("counts neither users whose facts were removed nor users without facts", async () => {
    const memory = new UserMemory({ storage: new BoundedFacts({ maxUsers: 2 }) });
    await memory.addFacts("a", ["one"]);
    await memory.addFacts("b", ["one"]);
    await memory.clear("b");
    await memory.getFacts("nobody");
    await memory.addFacts("c", ["one"]);

    expect(await memory.getFacts("a")).toHaveLength(1);
  });

  it.each([{ maxUsers: 20 }, { maxBytes: 40_000 }])(
    "drops users that anyone can invent before those who are verified, beyond %j",
    async (limits) => {
      const memory = new UserMemory({ storage: new BoundedFacts(limits) });
      for (const userId of ["ann", "Zoë"]) await memory.addFacts(userId, ["x".repeat(400)]);
      const invented = Array.from({ length: 60 }, (_, index) => `ann${index}`);
      for (const userId of invented) await memory.addFacts(userId, ["x".repeat(400)], "auto", { verified: false });

      for (const userId of ["ann", "Zoë"]) expect(await memory.getFacts(userId)).toHaveLength(1);
      expect(await memory.getFacts("ann0", { verified: false })).toEqual([]);
      expect(await memory.getFacts("ann59", { verified: false })).toHaveLength(1);
    },
  );

  it.each<[what: string, sizes: number[], isLeft: boolean]>([
    ["counts the text of each fact", [490, 491, 492, 493], false],
    ["counts a user once, however many the facts are", [1, 2, 3, 4], true],
    ["has room for what fits", [500], true],
  ])("%s", async (_what, sizes, isLeft) => {
    const memory = new UserMemory({ storage: new BoundedFacts({ maxBytes: 4000 }) });
    for (const userId of ["a", "b"]) {
      for (const size of userId === "a" ? sizes : [1]) await memory.addFacts(userId, ["x".repeat(size)]);
    }

    expect(await memory.getFacts("b")).toHaveLength(1);
    expect(await memory.getFacts("a")).toHaveLength(isLeft ? sizes.length : 0);
  });

  it("counts what was removed and changed no longer", async () => {
    const memory = new UserMemory({ storage: new BoundedFacts({ maxBytes: 4000 }) });
    await memory.addFacts("a", ["a"]);
    for (let round = 0; round < 20; round++) {
      const [fact] = await memory.addFacts("b", [`${round} ${"x".repeat(400)}`]);
      if (fact !== undefined) await memory.removeFact("b", fact.id);
    }

    expect(await memory.getFacts("a")).toHaveLength(1);
  });
});

describe("The limits of BoundedFacts", () => {
  const keysIn = async (storage: BoundedFacts) => (await storage.list("facts")).map(({ key }) => key);

  it("are 10,000 users by default, whatever the number of their facts", async () => {
    const storage = new BoundedFacts();
    for (let user = 0; user < 10_000; user++) await storage.set("facts", `-/u${user}/a`, 1);
    await storage.set("facts", "-/u1/b", 1);
    expect(await storage.get("facts", "-/u0/a")).toBe(1);
    await storage.set("facts", "-/new/a", 1);

    expect(await storage.get("facts", "-/u0/a")).toBeNull();
    expect([await storage.get("facts", "-/u1/a"), await storage.get("facts", "-/u2/a")]).toEqual([1, 1]);
  });

  it("are exact in bytes: those of the records, and 1000 for each user", async () => {
    const bytes = recordBytes("-/a/1", "1") + recordBytes("-/b/1", "1") + 2000;
    for (const [maxBytes, kept] of [
      [bytes, ["-/a/1", "-/b/1"]],
      [bytes - 1, ["-/b/1"]],
    ] as const) {
      const storage = new BoundedFacts({ maxBytes });
      for (const user of ["a", "b"]) await storage.set("facts", `-/${user}/1`, 1);
      expect(await keysIn(storage)).toEqual(kept);
    }
  });

  it("are exact in bytes also after a fact was stored again", async () => {
    const facts = [1, "x".repeat(400), "é".repeat(200), 1, "x".repeat(400)];
    const bytes = recordBytes("-/a/1", JSON.stringify(facts.at(-1))) + recordBytes("-/b/1", "1") + 2000;
    for (const [maxBytes, kept] of [
      [bytes, ["-/a/1", "-/b/1"]],
      [bytes - 1, ["-/b/1"]],
    ] as const) {
      const storage = new BoundedFacts({ maxBytes });
      for (const fact of facts) await storage.set("facts", "-/a/1", fact);
      await storage.set("facts", "-/b/1", 1);
      expect(await keysIn(storage)).toEqual(kept);
    }
  });

  it("hold for a user of two tenants as for two users, and for each namespace", async () => {
    const storage = new BoundedFacts({ maxUsers: 2 });
    await storage.set("facts", "t1/u/a", 1);
    await storage.set("facts", "t2/u/a", 1);
    await storage.set("other", "t1/u/a", 1);

    expect(await keysIn(storage)).toEqual(["t2/u/a"]);
    expect(await storage.get("other", "t1/u/a")).toBe(1);
  });

  it("make room again when the last fact of a user is removed, and not before", async () => {
    const storage = new BoundedFacts({ maxUsers: 2 });
    for (const key of ["-/a/1", "-/b/1", "-/b/2"]) await storage.set("facts", key, 1);
    await storage.delete("facts", "-/b/1");
    await storage.set("facts", "-/c/1", 1);
    expect(await keysIn(storage)).toEqual(["-/b/2", "-/c/1"]);
    await storage.delete("facts", "-/b/2");
    await storage.set("facts", "-/d/1", 1);

    expect(await keysIn(storage)).toEqual(["-/c/1", "-/d/1"]);
  });

  it("drop the user whose facts were not written for longest, of whom a change counts", async () => {
    const storage = new BoundedFacts({ maxUsers: 2 });
    for (const key of ["-/a/1", "-/b/1", "-/a/1", "-/c/1"]) await storage.set("facts", key, 1);

    expect(await keysIn(storage)).toEqual(["-/a/1", "-/c/1"]);
  });
});
