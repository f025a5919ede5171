import { TestChild } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished } from "vitest";
import { ask, serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PostgresStorage } from "./postgres-storage.ts";

const newSchema = testSchemas();
const file = new URL("../test/storage-child.ts", import.meta.url);

/** Starts processes that append to one prefix at the same time, and returns the numbers that each got. */
async function appendFrom(processes: number, schema: string, appends: number): Promise<number[][]> {
  const children = await Promise.all(
    Array.from({ length: processes }, async () => {
      const child = await TestChild.start(file, { args: [serverUrl, schema] });
      onTestFinished(async () => await child.close());
      await child.next((message): message is string => message === "ready");
      return child;
    }),
  );
  return await Promise.all(
    children.map(async (child) => {
      const said = child.next((message): message is { numbers: number[] } => typeof message === "object");
      child.send({ appends });
      return (await said).numbers;
    }),
  );
}

const inOrder = (numbers: readonly number[]): number[] => numbers.toSorted((one, other) => one - other);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

describe.skipIf(serverUrl === "")("PostgresStorage in several processes", { timeout: 60_000 }, () => {
  it("creates its table once when ten processes start at the same time", async () => {
    const numbers = await appendFrom(10, newSchema(), 1);

    expect(inOrder(numbers.flat())).toEqual(upTo(10));
  });

  it("creates its table once when ten storages of one process start at the same time", async () => {
    const schema = newSchema();
    const storages = Array.from({ length: 10 }, () => new PostgresStorage(serverUrl, { schema, max: 1 }));
    const appended = await Promise.all(storages.map(async (storage) => await storage.append("ns", "s/", 1)));
    await Promise.all(storages.map(async (storage) => await storage.close()));

    expect(inOrder(appended.map(({ seq }) => seq))).toEqual(upTo(10));
  });

  it("gives every append its own number, without a gap, and loses none", async () => {
    const schema = newSchema();
    const numbers = await appendFrom(3, schema, 50);

    expect(inOrder(numbers.flat())).toEqual(upTo(150));
    const stored = await ask(`select value::json ->> 'writer' as writer from ${schema}.troupe_records`);
    const writers = Object.values(Object.groupBy(stored, ({ writer }) => String(writer)));
    expect(writers.map((records) => records?.length)).toEqual([50, 50, 50]);
  });
});
