import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { mountSmallDisk } from "@troupe-internal/fault-tools";
import type { SmallDisk } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished } from "vitest";
import { useVectorFiles, documentAt, idsOf, openStore } from "../test/stores.ts";
import { SqliteVectorStore } from "./sqlite-vector-store.ts";

const newVectorFile = useVectorFiles();

function useDisk(skip: (reason: string) => never): SmallDisk {
  const disk = mountSmallDisk(process.env["REQUIRED_SERVICES"]) ?? skip("This process may not mount a tmpfs.");
  onTestFinished(() => disk.remove());
  return disk;
}

describe("SqliteVectorStore on a file that cannot be used", () => {
  it("refuses what is no database, or one in UTF-16, and leaves it as it was [sqlite.vector-store-faults]", async () => {
    const [text, wide] = [newVectorFile(), newVectorFile()];
    writeFileSync(text, "not a database, but long enough to be read as one ".repeat(100));
    const own = new DatabaseSync(wide);
    own.exec("pragma encoding = 'UTF-16le'; create table mine (id integer)");
    own.close();

    await expect(openStore(text).search([1, 0])).rejects.toMatchObject({ code: "storage_corrupt" });
    await expect(openStore(wide).search([1, 0])).rejects.toMatchObject({ code: "invalid_config" });
    expect(readFileSync(text).subarray(0, 14).toString()).toBe("not a database");
  });

  it("refuses other tables under its names", async () => {
    const file = newVectorFile();
    const own = new DatabaseSync(file);
    own.exec("create table troupe_vectors (id integer)");
    own.close();

    await expect(openStore(file).upsert(documentAt("a", [1, 0]))).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("Set table to another name"),
    });
  });

  it("reports a damaged document as corrupt, without quoting it [sqlite.vector-store-faults]", async () => {
    const file = newVectorFile();
    const store = openStore(file);
    await store.upsert(documentAt("a", [1, 0], { secret: 1 }));
    const own = new DatabaseSync(file);
    own.exec(`update troupe_vectors_documents set metadata = '{"secret'`);
    own.close();

    for (const call of [store.get("a"), store.search([1, 0])])
      await expect(call).rejects.toMatchObject({
        code: "storage_corrupt",
        message: expect.not.stringContaining("secret"),
      });
  });

  it("fails while its file is away, and works when it is back [sqlite.vector-store-faults]", async () => {
    const file = newVectorFile();
    const store = openStore(file);
    await store.upsert(documentAt("a", [1, 0]));
    renameSync(file, `${file}.away`);

    for (const call of [store.get("a"), store.search([1, 0]), store.upsert(documentAt("b", [1, 0]))])
      await expect(call).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(existsSync(file)).toBe(false);
    renameSync(`${file}.away`, file);
    expect(await idsOf(store)).toEqual(["a"]);
  });

  it("fails without its folder, and works once the folder exists", async () => {
    const folder = newVectorFile();
    const store = openStore(join(folder, "a.db"));
    await expect(store.initialize()).rejects.toMatchObject({ code: "storage_unavailable" });
    mkdirSync(folder);

    await store.initialize();
    expect(existsSync(join(folder, "a.db"))).toBe(true);
  });

  it("waits for another writer without blocking the process, and then says that the file was busy", async () => {
    const file = newVectorFile();
    const store = openStore(file, { busyTimeoutMs: 50 });
    await store.upsert(documentAt("a", [1, 0]));
    const other = new DatabaseSync(file);
    other.exec("begin immediate");

    await expect(store.upsert(documentAt("b", [1, 0]))).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining("busy"),
    });
    expect(await idsOf(store)).toEqual(["a"]);
    other.exec("rollback");
    other.close();
    await store.upsert(documentAt("b", [1, 0]));
  });

  it("keeps nothing of a change that a full disk refuses, and works when there is room [sqlite.vector-store-faults]", async ({
    skip,
  }) => {
    const disk = useDisk(skip);
    const file = join(disk.folder, "a.db");
    writeFileSync(join(disk.folder, "ballast"), "x".repeat(1_000_000));
    const store = new SqliteVectorStore(file);
    await store.upsert(documentAt("a", [1, 0], { group: 1 }));
    const large = Array.from({ length: 40 }, (_, index) => ({
      ...documentAt(`d${index}`, [1, 0]),
      content: "x".repeat(100_000),
    }));

    await expect(store.write({ upsert: large, deleteWhere: { group: 1 } })).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining("the disk is full"),
    });
    expect(await idsOf(store)).toEqual(["a"]);
    rmSync(join(disk.folder, "ballast"));
    await store.write({ upsert: [documentAt("b", [1, 0])], deleteWhere: { group: 1 } });
    expect(await idsOf(store)).toEqual(["b"]);
    await store.close();
  });

  it("fails on a read-only disk, and works once the disk is writable", async ({ skip }) => {
    const disk = useDisk(skip);
    disk.setReadOnly(true);
    const store = new SqliteVectorStore(join(disk.folder, "a.db"));

    await expect(store.search([1, 0])).rejects.toMatchObject({ code: "storage_unavailable" });
    disk.setReadOnly(false);
    expect(await idsOf(store)).toEqual([]);
    await store.close();
  });
});
