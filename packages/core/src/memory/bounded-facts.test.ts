import { describe, expect, it } from "vitest";
import { BoundedFacts } from "./bounded-facts.ts";
import { UserMemory } from "./user-memory.ts";

describe("BoundedFacts", () => {
  it("forgets the user who was not asked about for longest, as a whole", async () => {
    const storage = new BoundedFacts(2);
    const memory = new UserMemory({ storage });
    await memory.addFacts("a", ["one", "two"]);
    await memory.addFacts("b", ["one", "two"]);
    await memory.getFacts("a");
    await memory.addFacts("c", ["one"]);

    expect(await memory.getFacts("a")).toHaveLength(2);
    expect(await memory.getFacts("b")).toEqual([]);
    expect(await storage.list("facts")).toHaveLength(3);
  });

  it("counts no user whose facts are gone, and none who has none", async () => {
    const memory = new UserMemory({ storage: new BoundedFacts(2) });
    await memory.addFacts("a", ["one"]);
    await memory.addFacts("b", ["one"]);
    await memory.clear("b");
    await memory.getFacts("nobody");
    await memory.addFacts("c", ["one"]);

    expect(await memory.getFacts("a")).toHaveLength(1);
  });
});
