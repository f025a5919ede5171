import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { InMemoryStorage } from "./in-memory-storage.ts";
import { listEach } from "./list-each.ts";
import type { Listing, StorageDriver } from "./storage-driver.ts";

const listing = (prefix: string): Listing => ({ namespace: "ns", prefix, limit: 9 });

/** A storage with one record in each folder, and its calls. */
async function filled(folders: readonly string[]) {
  const storage = new InMemoryStorage();
  for (const folder of folders) await storage.set("ns", `${folder}1`, folder);
  return { storage, listMany: vi.spyOn(storage, "listMany"), list: vi.spyOn(storage, "list") };
}

describe("listEach", () => {
  it("makes up to 500 listings with one request, and keeps their order", async () => {
    const folders = Array.from({ length: 1001 }, (_, index) => `${index}/`);
    const { storage, listMany, list } = await filled(folders);
    const listed = await listEach(storage, folders.map(listing));

    expect(listed).toEqual(
      folders.map((folder) => ({ status: "fulfilled", value: [{ key: `${folder}1`, value: folder }] })),
    );
    expect(listMany.mock.calls.map(([group]) => group.length)).toEqual([500, 500, 1]);
    expect(list).not.toHaveBeenCalled();
  });

  it("asks for nothing when there are no listings", async () => {
    const { storage, listMany } = await filled([]);

    expect(await listEach(storage, [])).toEqual([]);
    expect(listMany).not.toHaveBeenCalled();
  });

  it("makes the listings one by one with a driver without listMany", async () => {
    const { storage } = await filled(["a/", "b/"]);
    const driver: StorageDriver = Object.assign(storage, { listMany: undefined });

    expect(await listEach(driver, [listing("b/"), listing("a/")])).toEqual([
      { status: "fulfilled", value: [{ key: "b/1", value: "b/" }] },
      { status: "fulfilled", value: [{ key: "a/1", value: "a/" }] },
    ]);
  });

  it("rejects only the listings that cannot be made when a record is damaged", async () => {
    const { storage, listMany, list } = await filled(["a/", "b/", "c/"]);
    const reason = new TroupeError("storage_corrupt", "A stored record cannot be read.");
    listMany.mockRejectedValue(reason);
    list.mockImplementation(async (_namespace, prefix) => (prefix === "b/" ? Promise.reject(reason) : []));

    expect(await listEach(storage, ["a/", "b/", "c/"].map(listing))).toEqual([
      { status: "fulfilled", value: [] },
      { status: "rejected", reason },
      { status: "fulfilled", value: [] },
    ]);
  });

  it("rejects all listings of a request without others when the storage cannot be reached", async () => {
    const { storage, listMany, list } = await filled(["a/", "b/"]);
    const reason = new TroupeError("storage_unavailable", "The database restarts.");
    listMany.mockRejectedValue(reason);

    expect(await listEach(storage, [listing("a/"), listing("b/")])).toEqual([
      { status: "rejected", reason },
      { status: "rejected", reason },
    ]);
    expect(list).not.toHaveBeenCalled();
  });
});
