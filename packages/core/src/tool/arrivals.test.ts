import { describe, expect, it } from "vitest";
import { Arrivals } from "./arrivals.ts";

describe("Arrivals", () => {
  it("hands out what came, in that order, and waits for more", async () => {
    const arrivals = new Arrivals<{ id: number }>();
    arrivals.add({ id: 1 });
    arrivals.add({ id: 2 });

    expect([await arrivals.next(), await arrivals.next()]).toEqual([{ id: 1 }, { id: 2 }]);
    const third = arrivals.next();
    arrivals.add({ id: 3 });
    expect(await third).toEqual({ id: 3 });
  });

  it("hands out what came before a failure, then the first failure for good", async () => {
    const arrivals = new Arrivals<{ id: number }>();
    arrivals.add({ id: 1 });
    arrivals.fail(new Error("first"));
    arrivals.fail(new Error("second"));

    expect(await arrivals.next()).toEqual({ id: 1 });
    await expect(arrivals.next()).rejects.toThrow("first");
    await expect(arrivals.next()).rejects.toThrow("first");
  });

  it("wakes a reader that waits when it fails", async () => {
    const arrivals = new Arrivals<{ id: number }>();
    const waiting = arrivals.next();
    arrivals.fail(new Error("over"));

    await expect(waiting).rejects.toThrow("over");
  });
});
