import { describe, expect, it } from "vitest";
import { BoundedFacts } from "./bounded-facts.ts";
import { UserMemory } from "./user-memory.ts";

describe("BoundedFacts", () => {
  it("drops all facts of the user who was least recently asked about", async () => {
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

  it("counts neither users whose facts were removed nor users without facts", async () => {
    const memory = new UserMemory({ storage: new BoundedFacts(2) });
    await memory.addFacts("a", ["one"]);
    await memory.addFacts("b", ["one"]);
    await memory.clear("b");
    await memory.getFacts("nobody");
    await memory.addFacts("c", ["one"]);

    expect(await memory.getFacts("a")).toHaveLength(1);
  });
});
