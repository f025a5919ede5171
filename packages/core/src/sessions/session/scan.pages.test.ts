import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { MapStorage } from "../storage/test/map-storage.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { scan } from "./scan.ts";

const namespace = "ns";
const keys = ["p/a", "p/b", "p/c", "p/d", "p/e"];

/** Fills a storage, and returns how each of its listings is asked for. */
async function listing(driver: StorageDriver): Promise<unknown[][]> {
  for (const key of keys) await driver.set(namespace, key, 1);
  const asked: unknown[][] = [];
  const list = driver.list.bind(driver);
  driver.list = async (...args) => {
    asked.push(args);
    return await list(...args);
  };
  return asked;
}

const pagesOf = async (driver: StorageDriver, range: object) =>
  (await Array.fromAsync(scan(driver, { namespace, prefix: "p/", ...range }))).map((page) =>
    page.map(({ key }) => key),
  );

describe("the pages of a listing", () => {
  it("are each asked for behind the last key of the one before", async () => {
    const driver = new InMemoryStorage();
    const asked = await listing(driver);
    expect(await pagesOf(driver, { pageSize: 2 })).toEqual([["p/a", "p/b"], ["p/c", "p/d"], ["p/e"]]);
    expect(asked).toEqual([
      ["ns", "p/", { limit: 2 }],
      ["ns", "p/", { limit: 2, after: "p/b" }],
      ["ns", "p/", { limit: 2, after: "p/d" }],
    ]);
  });

  it("begin behind the given key, and one that is full at the end is followed by no empty one", async () => {
    const driver = new InMemoryStorage();
    const asked = await listing(driver);
    expect(await pagesOf(driver, { pageSize: 2, after: "p/c" })).toEqual([["p/d", "p/e"]]);
    expect(asked.map(([, , options]) => options)).toEqual([
      { limit: 2, after: "p/c" },
      { limit: 2, after: "p/e" },
    ]);
    expect(await pagesOf(driver, { after: "p/e" })).toEqual([]);
  });

  it("have each entry once where the driver ignores the options of a listing", async () => {
    const driver = new MapStorage();
    await listing(driver);
    expect((await pagesOf(driver, { pageSize: 2 })).flat()).toEqual(keys);
    expect((await pagesOf(driver, { pageSize: 2, after: "p/b" })).flat()).toEqual(keys.slice(2));
  });
});
