import { describe, expect, it } from "vitest";
import { MongoConnection } from "./mongo-connection.ts";
import { MongoFailures } from "./mongo-failure.ts";
import type { OpenCollection } from "./open-collection.ts";

const failures = new MongoFailures("mongodb://host");

/** A connection that opens when and how often the test says. */
function countedConnection(open: () => Promise<void> = async () => {}) {
  const counts = { opened: 0, closed: 0 };
  const connection = new MongoConnection(async () => {
    counts.opened += 1;
    await open();
    return { close: async () => void (counts.closed += 1) } as OpenCollection;
  }, failures);
  return { connection, counts };
}

describe("MongoConnection", () => {
  it("opens nothing before the first call, and once for many at the same time", async () => {
    const { connection, counts } = countedConnection();
    expect(counts.opened).toBe(0);
    await Promise.all([1, 2, 3].map(async () => await connection.use(async () => {})));

    expect(counts.opened).toBe(1);
  });

  it("tries again to open after it failed", async () => {
    let isDown = true;
    const { connection, counts } = countedConnection(async () => {
      if (isDown) throw new Error("down");
    });
    await expect(connection.use(async () => 1)).rejects.toMatchObject({ code: "storage_unavailable" });
    isDown = false;

    expect(await connection.use(async () => 1)).toBe(1);
    expect(counts.opened).toBe(2);
  });

  it("waits for calls under way before it closes, and takes no others", async () => {
    const { connection, counts } = countedConnection();
    const work = Promise.withResolvers<string>();
    const result = connection.use(async () => await work.promise);
    const closed = connection.close();
    await expect(connection.use(async () => 1)).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(counts.closed).toBe(0);
    work.resolve("done");

    expect(await result).toBe("done");
    await closed;
    await connection.close();
    expect(counts).toEqual({ opened: 1, closed: 1 });
  });

  it("closes without having been opened", async () => {
    const { connection, counts } = countedConnection();
    await connection.close();

    expect(counts).toEqual({ opened: 0, closed: 0 });
    await expect(connection.use(async () => 1)).rejects.toThrow(/has been closed/);
  });

  it("closes when opening failed while it was asked to", async () => {
    const { connection } = countedConnection(async () => {
      throw new Error("down");
    });
    const call = connection.use(async () => 1);
    const closed = connection.close();

    await expect(call).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(closed).resolves.toBeUndefined();
  });
});
