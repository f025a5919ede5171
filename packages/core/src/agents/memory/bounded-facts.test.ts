import { describe, expect, it } from "vitest";
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
