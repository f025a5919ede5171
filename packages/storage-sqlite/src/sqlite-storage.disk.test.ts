import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StorageDriver } from "@troupe/core";
import { mountSmallDisk } from "@troupe-internal/fault-tools";
import type { SmallDisk } from "@troupe-internal/fault-tools";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SqliteStorage } from "./sqlite-storage.ts";

const turn = "x".repeat(50_000);
let disk: SmallDisk | undefined;

/** Returns the disk; throws when there is none. */
function useDisk(): SmallDisk & { file: string } {
  if (disk === undefined) throw new Error("There is no disk to test on.");
  return { ...disk, file: join(disk.folder, "a.db") };
}

describe("SqliteStorage on a failing disk", () => {
  beforeEach(({ skip }) => {
    disk = mountSmallDisk(process.env["REQUIRED_SERVICES"]);
    if (disk === undefined) skip("This process may not mount a tmpfs.");
  });
  afterEach(() => disk?.remove());

  it("refuses writes while the disk is full, still reads, and loses no confirmed write", async () => {
    const { folder, file } = useDisk();
    writeFileSync(join(folder, "ballast"), "x".repeat(1_000_000));
    const storage = new SqliteStorage(file);
    const { answered, failure } = await appendUntilRefused(storage);

    expect(answered).toBeGreaterThan(5);
    expect(failure).toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining(`${file} cannot grow: the disk is full`),
    });
    await expect(storage.ping()).resolves.toBeUndefined();
    expect(await storage.list("turns")).toHaveLength(answered);
    const writes = ["a", "b"].map((key, index) => ({ namespace: "turns", key, value: index === 0 ? 1 : turn }));
    await expect(storage.transaction(writes)).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await storage.get("turns", "a")).toBeNull();

    rmSync(join(folder, "ballast"));
    expect((await storage.append("turns", "s/", turn)).seq).toBe(answered + 1);
    await storage.close();
    const again = new SqliteStorage(file);
    const stored = await again.list("turns");
    expect(stored.map(({ key }) => Number(key.slice(2)))).toEqual(stored.map((_, index) => index + 1));
    expect(stored.length).toBe(answered + 1);
    expect(stored.every(({ value }) => value === turn)).toBe(true);
    await again.close();
  });

  it("fails its first call on a read-only disk, and works once the disk is writable", async () => {
    const { file, setReadOnly } = useDisk();
    setReadOnly(true);
    const storage = new SqliteStorage(file);

    await expect(storage.get("ns", "k")).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining(`${file} cannot be opened. Its folder must exist, and this process needs`),
    });
    setReadOnly(false);
    expect(await storage.get("ns", "k")).toBeNull();
    await storage.close();
  });
});

async function appendUntilRefused(storage: Required<StorageDriver>): Promise<{ answered: number; failure: unknown }> {
  for (let answered = 0; answered < 1000; answered++) {
    try {
      await storage.append("turns", "s/", turn);
    } catch (failure) {
      return { answered, failure };
    }
  }
  return { answered: 1000, failure: undefined };
}
