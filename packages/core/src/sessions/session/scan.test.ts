import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { scan } from "./scan.ts";
import { drivers } from "../storage/test/drivers.ts";

describe.each(drivers)("scan over %s", (_, create) => {
  it.each([0, 1, 99, 100, 101, 200, 250])(
    "yields each of %i entries once, in the order of their keys",
    async (count) => {
      const driver = create();
      await fill(driver, count);

      const keys = await scanAll(driver);

      expect(keys).toEqual(Array.from({ length: count }, (__, index) => keyOf(index)));
    },
  );

  it("begins after a key", async () => {
    const driver = create();
    await fill(driver, 150);

    expect(await scanAll(driver, keyOf(147))).toEqual([keyOf(148), keyOf(149)]);
  });
});

it("scan lists a hundred entries at a time where the driver can", async () => {
  const driver = new InMemoryStorage();
  await fill(driver, 250);
  const sizes: number[] = [];

  for await (const page of scan(driver, { namespace: "ns", prefix: "p/" })) sizes.push(page.length);

  expect(sizes).toEqual([100, 100, 50]);
});

function keyOf(index: number): string {
  return `p/${String(index).padStart(4, "0")}`;
}

async function fill(driver: StorageDriver, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await driver.set("ns", keyOf(index), index);
  await driver.set("ns", "q/0", "another's");
}

async function scanAll(driver: StorageDriver, after?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of scan(driver, { namespace: "ns", prefix: "p/", after }))
    keys.push(...page.map(({ key }) => key));
  return keys;
}
