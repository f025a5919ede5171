import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { createLogger } from "@troupe/core";
import { mountSmallDisk } from "@troupe-internal/fault-tools";
import type { SmallDisk } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSlowStore, useVectorFiles } from "../test/stores.ts";
import { SqliteVectorStore } from "./sqlite-vector-store.ts";
import type { SqliteVectorOptions } from "./sqlite-vector-store.ts";

const newVectorFile = useVectorFiles();

const at = (id: string, embedding: number[], metadata?: Record<string, unknown>) => ({
  id,
  content: `content of ${id}`,
  embedding,
  ...(metadata && { metadata }),
});

function open(file: string, options: SqliteVectorOptions = {}): SqliteVectorStore {
  const store = new SqliteVectorStore(file, { durability: "normal", ...options });
  onTestFinished(async () => await store.close());
  return store;
}

async function idsOf(store: SqliteVectorStore, filter = {}): Promise<string[]> {
  return (await store.search([1, 0], { filter })).map(({ document }) => document.id);
}

describe("SqliteVectorStore", () => {
  it("opens nothing before its first call, and creates no file when it is closed before", async () => {
    const [file, unused] = [newVectorFile(), newVectorFile()];
    const store = open(file);
    await new SqliteVectorStore(unused).close();

    expect([existsSync(file), existsSync(unused)]).toEqual([false, false]);
    await store.initialize();
    expect(existsSync(file)).toBe(true);
  });

  it("creates its file and those of its log for their owner alone", async () => {
    const file = newVectorFile();
    await open(file).initialize();

    const modes = [file, `${file}-wal`, `${file}-shm`].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  it("finds what another store on the file stored, also after both were closed [sqlite.vector-store]", async () => {
    const file = newVectorFile();
    const [one, other] = [open(file), open(file)];
    await one.upsert(at("a", [1, 0], { tag: "x" }));
    expect(await idsOf(other, { tag: "x" })).toEqual(["a"]);
    await other.delete("a");
    await other.upsert(at("b", [1, 1]));
    expect(await idsOf(one)).toEqual(["b"]);
    await Promise.all([one.close(), other.close()]);

    expect(await open(file).get("b")).toEqual(at("b", [1, 1]));
  });

  it("leaves one file after close, without a write-ahead log", async () => {
    const file = newVectorFile();
    const store = open(file);
    await store.upsert(at("a", [1, 0]));
    await store.search([1, 0]);
    await store.get("a");
    expect(existsSync(`${file}-wal`)).toBe(true);
    await store.close();

    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(readFileSync(file).subarray(0, 15).toString()).toBe("SQLite format 3");
  });

  it("keeps the documents of each table apart, and leaves other tables alone", async () => {
    const file = newVectorFile();
    const own = new DatabaseSync(file);
    own.exec("create table mine (id integer); insert into mine values (1)");
    const [one, other] = [open(file), open(file, { table: "Other_1" })];
    await one.upsert(at("a", [1, 0]));

    expect(await idsOf(other)).toEqual([]);
    await other.clear();
    expect(await idsOf(one)).toEqual(["a"]);
    expect(own.prepare("select count(*) as count from mine").get()).toEqual({ count: 1 });
    own.close();
  });

  it("leaves nothing of removed documents in the file's tables", async () => {
    const file = newVectorFile();
    const store = open(file);
    const inner = store.collection("inner");
    await store.write({
      upsert: [at("a", [1, 0], { tag: { x: 1 } }), at("b", [1, 0], { tag: 1 }), at("c", [1e30, 0])],
    });
    await inner.upsert(at("a", [1, 0, 1], { tag: 1 }));
    await store.upsert(at("a", [1, 1]));
    await store.write({ delete: ["b", "c"], deleteWhere: { tag: 1 } });
    await inner.clear();
    const own = new DatabaseSync(file);
    const count = (table: string) => Number(own.prepare(`select count(*) as count from ${table}`).get()?.["count"]);

    const tables = ["troupe_vectors", "_collections", "_documents", "_terms"].map((end) =>
      end.replace(/^_/, "troupe_vectors_"),
    );
    expect(tables.map(count)).toEqual([1, 1, 1, 0]);
    own.close();
  });

  it("searches one state of the file while documents change", async () => {
    const store = open(newVectorFile());
    const ids = Array.from({ length: 5000 }, (_, index) => `d${index}`);
    await store.write({ upsert: ids.map((id, index) => at(id, [1, index])) });
    const searching = store.search([1, 0], { topK: 10_000 });
    await setImmediate();
    // The last to be read, so that they are gone by then.
    await store.write({ delete: ids.slice(4900), upsert: [at("new", [1, 0])] });
    const found = await searching;

    expect(found.map(({ document }) => document.id)).toEqual(ids);
    expect(await store.search([1, 0], { topK: 10_000 })).toHaveLength(4901);
  });

  it.each([1e30, 1e-30])(
    "ranks vectors of the length %d by their direction, and returns them exactly",
    async (length) => {
      const store = open(newVectorFile());
      const vectors = [
        [0, 1],
        [1, 1],
        [length, 1],
        [length * 0.9, length * 0.1],
        [length, 0],
      ].map((vector) => vector.map(Math.fround));
      await store.write({ upsert: vectors.map((vector, index) => at(`d${index}`, vector)) });

      expect((await store.search([3, 0], { topK: 1 }))[0]?.document.id).toBe(length > 1 ? "d2" : "d4");
      expect((await store.search([10, 1], { topK: 1 }))[0]?.document.id).toBe("d3");
      for (const [index, vector] of vectors.entries())
        expect((await store.get(`d${index}`))?.embedding).toEqual(vector);
    },
  );

  it("answers more searches at once than it has connections", async () => {
    const store = open(newVectorFile());
    await store.write({ upsert: Array.from({ length: 100 }, (_, index) => at(`d${index}`, [1, index])) });
    const found = await Promise.all(Array.from({ length: 50 }, async (_, index) => await store.search([1, index])));

    expect(found.map(([best]) => best?.document.id)).toEqual(Array.from({ length: 50 }, (_, index) => `d${index}`));
  });

  it("says once at warn that it searches without its extension [sqlite.vector-store-scan]", async () => {
    const warn = vi.fn<(message: string, fields: Record<string, unknown>) => void>();
    const store = openSlowStore(newVectorFile(), { warn });
    await Promise.all([store.upsert(at("a", [1, 0])), store.search([1, 0]), store.search([0, 1])]);
    await store.close();

    expect(warn.mock.calls).toEqual([[expect.stringContaining("sqlite-vec could not be loaded"), expect.anything()]]);
  });

  it("says nothing where it has its extension", async () => {
    const warn = vi.fn<() => void>();
    await idsOf(open(newVectorFile(), { logger: { ...createLogger(), warn } }));

    expect(warn).not.toHaveBeenCalled();
  });

  it.each(["", ":memory:", "file:vectors.db", "a\0b", 5, undefined] as string[])("refuses the path %j", (path) => {
    expect(() => new SqliteVectorStore(path)).toThrow(expect.objectContaining({ code: "invalid_config" }));
  });

  it.each([
    { table: 'x"; drop table mine; --' },
    { table: "" },
    { table: "sqlite_x" },
    { busyTimeoutMs: -1 },
    { color: 1 },
  ])("refuses the options %o", (options) => {
    expect(() => new SqliteVectorStore("a.db", options as SqliteVectorOptions)).toThrow(
      expect.objectContaining({ code: "invalid_config" }),
    );
  });
});

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

    await expect(open(text).search([1, 0])).rejects.toMatchObject({ code: "storage_corrupt" });
    await expect(open(wide).search([1, 0])).rejects.toMatchObject({ code: "invalid_config" });
    expect(readFileSync(text).subarray(0, 14).toString()).toBe("not a database");
  });

  it("refuses other tables under its names", async () => {
    const file = newVectorFile();
    const own = new DatabaseSync(file);
    own.exec("create table troupe_vectors (id integer)");
    own.close();

    await expect(open(file).upsert(at("a", [1, 0]))).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("Set table to another name"),
    });
  });

  it("reports a damaged document as corrupt, without quoting it [sqlite.vector-store-faults]", async () => {
    const file = newVectorFile();
    const store = open(file);
    await store.upsert(at("a", [1, 0], { secret: 1 }));
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
    const store = open(file);
    await store.upsert(at("a", [1, 0]));
    renameSync(file, `${file}.away`);

    for (const call of [store.get("a"), store.search([1, 0]), store.upsert(at("b", [1, 0]))])
      await expect(call).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(existsSync(file)).toBe(false);
    renameSync(`${file}.away`, file);
    expect(await idsOf(store)).toEqual(["a"]);
  });

  it("fails without its folder, and works once the folder exists", async () => {
    const folder = newVectorFile();
    const store = open(join(folder, "a.db"));
    await expect(store.initialize()).rejects.toMatchObject({ code: "storage_unavailable" });
    mkdirSync(folder);

    await store.initialize();
    expect(existsSync(join(folder, "a.db"))).toBe(true);
  });

  it("waits for another writer without blocking the process, and then says that the file was busy", async () => {
    const file = newVectorFile();
    const store = open(file, { busyTimeoutMs: 50 });
    await store.upsert(at("a", [1, 0]));
    const other = new DatabaseSync(file);
    other.exec("begin immediate");

    await expect(store.upsert(at("b", [1, 0]))).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining("busy"),
    });
    expect(await idsOf(store)).toEqual(["a"]);
    other.exec("rollback");
    other.close();
    await store.upsert(at("b", [1, 0]));
  });

  it("keeps nothing of a change that a full disk refuses, and works when there is room [sqlite.vector-store-faults]", async ({
    skip,
  }) => {
    const disk = useDisk(skip);
    const file = join(disk.folder, "a.db");
    writeFileSync(join(disk.folder, "ballast"), "x".repeat(1_000_000));
    const store = new SqliteVectorStore(file);
    await store.upsert(at("a", [1, 0], { group: 1 }));
    const large = Array.from({ length: 40 }, (_, index) => ({
      ...at(`d${index}`, [1, 0]),
      content: "x".repeat(100_000),
    }));

    await expect(store.write({ upsert: large, deleteWhere: { group: 1 } })).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining("the disk is full"),
    });
    expect(await idsOf(store)).toEqual(["a"]);
    rmSync(join(disk.folder, "ballast"));
    await store.write({ upsert: [at("b", [1, 0])], deleteWhere: { group: 1 } });
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
