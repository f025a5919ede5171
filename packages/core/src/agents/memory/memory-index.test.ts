import { describe, expect, it } from "vitest";
import { namespaces } from "../../sessions/session/session-keys.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { FaultInjector } from "../../sessions/storage/test/fault-injector.ts";
import { MapStorage } from "../../sessions/storage/test/map-storage.ts";
import { confirmEntry, removeEntry, writeEntry } from "./memory-index.ts";

const place = { namespace: namespaces.memory, key: "t/u/s%2F1" };
const entry = { key: "s%2F1/t/u", value: { v: 1 } };
const other = { key: "s%2F1/t/v", value: { v: 1 } };

/** A storage with the entry of another memory of the same id. */
async function storage(): Promise<MapStorage> {
  const driver = new MapStorage();
  await driver.set("memory-by-id", other.key, other.value);
  return driver;
}

const entriesOf = async (driver: StorageDriver) => await driver.list("memory-by-id");

describe("the entry of a memory", () => {
  it("is written, confirmed and removed by the session's id and owner", async () => {
    const driver = await storage();
    await writeEntry({ driver, place });
    expect(await entriesOf(driver)).toEqual([entry, other]);
    await confirmEntry({ driver, place });
    expect(await entriesOf(driver)).toEqual([entry, other]);
    await removeEntry({ driver, place });
    await removeEntry({ driver, place });
    expect(await entriesOf(driver)).toEqual([other]);
    await confirmEntry({ driver, place });
    expect(await entriesOf(driver)).toEqual([entry, other]);
  });

  it("is not written again where it is", async () => {
    const watched = new FaultInjector(await storage());
    await confirmEntry({ driver: watched.driver, place });
    await confirmEntry({ driver: watched.driver, place });

    expect(watched.calls).toEqual(["get", "set", "get"]);
  });

  it("comes back when its memory was written while it was removed", async () => {
    const driver = await storage();
    await driver.set(place.namespace, place.key, { v: 1 });
    const watched = new FaultInjector(driver);
    await removeEntry({ driver: watched.driver, place });

    expect(watched.calls).toEqual(["delete", "get", "set"]);
    expect(await entriesOf(driver)).toEqual([entry, other]);
  });

  it("is there when the call resolves, and a failure is passed on", async () => {
    for (const call of [writeEntry, confirmEntry, removeEntry]) {
      const watched = new FaultInjector(await storage());
      watched.plan({ fault: "fails before it did anything", atCall: 1 });

      await expect(call({ driver: watched.driver, place })).rejects.toThrow("planned");
    }
  });

  it.each([
    ["writeEntry", writeEntry],
    ["confirmEntry", confirmEntry],
    ["removeEntry", removeEntry],
  ])("is not waited for by %s once the signal aborts", async (_name, call) => {
    const watched = new FaultInjector(await storage());
    const abort = new AbortController();
    watched.plan({ fault: "hangs and does it later", atCall: 1, onHang: () => abort.abort() });

    await expect(call({ driver: watched.driver, place, signal: abort.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    watched.disarm();
  });
});
