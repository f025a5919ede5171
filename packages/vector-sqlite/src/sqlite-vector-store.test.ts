import { existsSync, readFileSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { createLogger } from "@troupe/core";
import { describe, expect, it, vi } from "vitest";
import { openSlowStore, useVectorFiles, documentAt, idsOf, openStore } from "../test/stores.ts";
import { SqliteVectorStore } from "./sqlite-vector-store.ts";
import type { SqliteVectorOptions } from "./sqlite-vector-store.ts";

const newVectorFile = useVectorFiles();

describe("SqliteVectorStore", () => {
  it("opens nothing before its first call, and creates no file when it is closed before", async () => {
    const [file, unused] = [newVectorFile(), newVectorFile()];
    const store = openStore(file);
    await new SqliteVectorStore(unused).close();

    expect([existsSync(file), existsSync(unused)]).toEqual([false, false]);
    await store.initialize();
    expect(existsSync(file)).toBe(true);
  });

  it("creates its file and those of its log for their owner alone", async () => {
    const file = newVectorFile();
    await openStore(file).initialize();

    const modes = [file, `${file}-wal`, `${file}-shm`].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  it("finds what another store on the file stored, also after both were closed [sqlite.vector-store]", async () => {
    const file = newVectorFile();
    const [one, other] = [openStore(file), openStore(file)];
    await one.upsert(documentAt("a", [1, 0], { tag: "x" }));
    expect(await idsOf(other, { tag: "x" })).toEqual(["a"]);
    await other.delete("a");
    await other.upsert(documentAt("b", [1, 1]));
    expect(await idsOf(one)).toEqual(["b"]);
    await Promise.all([one.close(), other.close()]);

    expect(await openStore(file).get("b")).toEqual(documentAt("b", [1, 1]));
  });

  it("leaves one file after close, without a write-ahead log", async () => {
    const file = newVectorFile();
    const store = openStore(file);
    await store.upsert(documentAt("a", [1, 0]));
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
    const [one, other] = [openStore(file), openStore(file, { table: "Other_1" })];
    await one.upsert(documentAt("a", [1, 0]));

    expect(await idsOf(other)).toEqual([]);
    await other.clear();
    expect(await idsOf(one)).toEqual(["a"]);
    expect(own.prepare("select count(*) as count from mine").get()).toEqual({ count: 1 });
    own.close();
  });

  it("leaves nothing of removed documents in the file's tables", async () => {
    const file = newVectorFile();
    const store = openStore(file);
    const inner = store.collection("inner");
    await store.write({
      upsert: [
        documentAt("a", [1, 0], { tag: { x: 1 } }),
        documentAt("b", [1, 0], { tag: 1 }),
        documentAt("c", [1e30, 0]),
      ],
    });
    await inner.upsert(documentAt("a", [1, 0, 1], { tag: 1 }));
    await store.upsert(documentAt("a", [1, 1]));
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
    const store = openStore(newVectorFile());
    const ids = Array.from({ length: 5000 }, (_, index) => `d${index}`);
    await store.write({ upsert: ids.map((id, index) => documentAt(id, [1, index])) });
    const searching = store.search([1, 0], { topK: 10_000 });
    await setImmediate();
    // The last to be read, so that they are gone by then.
    await store.write({ delete: ids.slice(4900), upsert: [documentAt("new", [1, 0])] });
    const found = await searching;

    expect(found.map(({ document }) => document.id)).toEqual(ids);
    expect(await store.search([1, 0], { topK: 10_000 })).toHaveLength(4901);
  });

  it.each([1e30, 1e-30])(
    "ranks vectors of the length %d by their direction, and returns them exactly",
    async (length) => {
      const store = openStore(newVectorFile());
      const vectors = [
        [0, 1],
        [1, 1],
        [length, 1],
        [length * 0.9, length * 0.1],
        [length, 0],
      ].map((vector) => vector.map(Math.fround));
      await store.write({ upsert: vectors.map((vector, index) => documentAt(`d${index}`, vector)) });

      expect((await store.search([3, 0], { topK: 1 }))[0]?.document.id).toBe(length > 1 ? "d2" : "d4");
      expect((await store.search([10, 1], { topK: 1 }))[0]?.document.id).toBe("d3");
      for (const [index, vector] of vectors.entries())
        expect((await store.get(`d${index}`))?.embedding).toEqual(vector);
    },
  );

  it("answers more searches at once than it has connections", async () => {
    const store = openStore(newVectorFile());
    await store.write({ upsert: Array.from({ length: 100 }, (_, index) => documentAt(`d${index}`, [1, index])) });
    const found = await Promise.all(Array.from({ length: 50 }, async (_, index) => await store.search([1, index])));

    expect(found.map(([best]) => best?.document.id)).toEqual(Array.from({ length: 50 }, (_, index) => `d${index}`));
  });

  it("says once at warn that it searches without its extension [sqlite.vector-store-scan]", async () => {
    const warn = vi.fn<(message: string, fields: Record<string, unknown>) => void>();
    const store = openSlowStore(newVectorFile(), { warn });
    await Promise.all([store.upsert(documentAt("a", [1, 0])), store.search([1, 0]), store.search([0, 1])]);
    await store.close();

    expect(warn.mock.calls).toEqual([[expect.stringContaining("sqlite-vec could not be loaded"), expect.anything()]]);
  });

  it("says nothing where it has its extension", async () => {
    const warn = vi.fn<() => void>();
    await idsOf(openStore(newVectorFile(), { logger: { ...createLogger(), warn } }));

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
