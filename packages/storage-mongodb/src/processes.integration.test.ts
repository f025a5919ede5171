import { TestChild } from "@troupe-internal/fault-tools";
import { afterAll, describe, expect, it } from "vitest";
import { dropTestDb, newName, newStorage, serverUrl, testDb } from "./test/collections.ts";
import type { AppendedNumbers } from "./test/appending-process.ts";

const file = new URL("./test/appending-process.ts", import.meta.url);
const isSaid = (message: unknown): message is AppendedNumbers =>
  (message as Partial<AppendedNumbers>).numbers !== undefined;

describe.skipIf(serverUrl === "")("MongoStorage in three processes", { timeout: 120_000 }, () => {
  afterAll(async () => await dropTestDb());

  it("creates the collection once, and gives concurrent appends numbers without a gap", async () => {
    const name = newName();
    const args = [serverUrl, testDb, name, "40"];
    const children = await Promise.all([1, 2, 3].map(async () => await TestChild.start(file, { args })));
    try {
      const said = await Promise.all(children.map(async (child) => await child.next(isSaid)));
      const numbers = said.flatMap((each) => each.numbers).toSorted((one, other) => one - other);
      const storage = newStorage(name);
      const stored = await storage.list("turns", "s/");
      await storage.close();

      expect(numbers).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
      expect(new Set(stored.map(({ value }) => value)).size).toBe(120);
    } finally {
      await Promise.all(children.map(async (child) => await child.close()));
    }
  });
});
