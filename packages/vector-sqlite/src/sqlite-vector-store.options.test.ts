import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { useVectorFiles } from "../test/stores.ts";
import { SqliteVectorStore } from "./sqlite-vector-store.ts";
import { VectorFile } from "./vector-file.ts";
import type { VectorFileSettings } from "./vector-file.ts";

const newVectorFile = useVectorFiles();

/** Opens a file with these settings, and returns it and what it warned of. */
async function openFile(path: string, more: Partial<VectorFileSettings> = {}) {
  const warn = vi.fn<VectorFileSettings["warn"]>();
  const file = await VectorFile.open(path, { durability: "full", busyTimeoutMs: 5000, table: "t", warn, ...more });
  onTestFinished(() => file.close());
  return { file, warn };
}

describe("The options of SqliteVectorStore", () => {
  const names = "a name of letters, digits and _, at most 40 and no digit first";

  it.each<[object, string]>([
    [{ table: "" }, `table must be ${names}, got a string.`],
    [{ table: "9a" }, `table must be ${names}, got a string.`],
    [{ table: "SQLite_a" }, `table must be ${names}, got a string.`],
    [{ table: "x".repeat(41) }, `table must be ${names}, got a string.`],
    [{ table: "a-b" }, `table must be ${names}, got a string.`],
    [{ durability: "off" }, 'durability must be "full" or "normal", got a string.'],
    [{ busyTimeoutMs: -1 }, "busyTimeoutMs must be a number of milliseconds from 0 to 2147483647, got -1."],
    [{ dimensions: 0 }, "dimensions must be a positive integer, got 0."],
    [{ logger: {} }, "logger must be a Logger, with the methods warn, got an object."],
    [
      { color: 1 },
      'Unknown option "color" of SqliteVectorStore. Expected embeddings, dimensions, durability, busyTimeoutMs, table or logger.',
    ],
  ])("refuse %j with its reason", (options, message) => {
    expect(() => new SqliteVectorStore("a.db", options)).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });

  it.each([{ table: "x".repeat(40) }, { table: "_9" }, { table: "Z" }, { busyTimeoutMs: 0 }, { durability: "normal" }])(
    "take %j",
    (options) => {
      expect(() => new SqliteVectorStore("a.db", options as object)).not.toThrow();
    },
  );

  it.each(["", ":memory:", "file:a.db", "a\0b"])("refuse the path %j, and name the way out", (path) => {
    expect(() => new SqliteVectorStore(path)).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: "path must be the path of a file, not a URL. For memory use InMemoryVectorStore, got a string.",
      }),
    );
  });

  it("name the absolute path in errors of the store", async () => {
    const store = new SqliteVectorStore("a.db");
    await store.close();

    await expect(store.get("a")).rejects.toMatchObject({
      code: "storage_unavailable",
      message: `The SQLite vector store ${resolve("a.db")} has been closed.`,
    });
  });

  // The tables in which SQLite keeps an index of words.
  const textParts = ["_text_config", "_text_data", "_text_docsize", "_text_idx"];

  it("make tables whose names begin with that of the option, by default troupe_vectors", async () => {
    for (const [options, expected] of [
      [{}, "troupe_vectors"],
      [{ table: "mine" }, "mine"],
    ] as const) {
      const path = newVectorFile();
      const store = new SqliteVectorStore(path, options);
      await store.upsert({ id: "a", content: "", embedding: [1] });
      await store.close();
      const database = new DatabaseSync(path);
      const tables = database.prepare("select name from sqlite_master where type = 'table' order by name").all();
      database.close();
      const found = ["", "_collections", "_documents", "_terms", "_text", ...textParts].map((end) => expected + end);
      expect(tables.map(({ name }) => name)).toEqual(found);
    }
  });
});

describe("VectorFile", () => {
  it.each([
    ["full", 2],
    ["normal", 1],
  ] as const)("writes with the durability %s, a log of 4 MB, and large pages", async (durability, synchronous) => {
    const { file } = await openFile(newVectorFile(), { durability });
    const settings = await file.write(
      async (writer) =>
        await Promise.resolve(
          ["synchronous", "page_size", "journal_mode", "wal_autocheckpoint", "cache_size"].map(
            (name) => writer.row(`pragma ${name}`)?.[0],
          ),
        ),
    );

    expect(settings).toEqual([synchronous, 32_768, "wal", 123, -16_000]);
  });

  it("searches in JavaScript where there is no extension, and warns with the reason", async () => {
    const reason = new Error("There is none.");
    const { file, warn } = await openFile(newVectorFile(), { findExtension: () => Promise.reject(reason) });
    const names = await file.search(async ({ distance }) => await Promise.resolve(distance.name));

    expect(names).toBe("troupe_distance");
    expect(warn.mock.calls).toEqual([
      [
        "sqlite-vec could not be loaded, so searches run in JavaScript: as exact, but slower. It has binaries for Linux with " +
          "glibc, macOS and Windows; install its optional packages, and let Node load extensions (--permission forbids it).",
        { error: reason },
      ],
    ]);
  });

  it("rolls back what failed, and writes the next change", async () => {
    const { file } = await openFile(newVectorFile());
    const add = async (path: string, error?: Error) =>
      await file.write(async (writer) => {
        writer.row(file.tables.addCollection, path);
        if (error !== undefined) throw error;
        return await Promise.resolve(path);
      });
    const [failed, stored] = await Promise.allSettled([add("a", new Error("planned")), add("b")]);
    const paths = await file.read((reader) => reader.rows("select path from t_collections"));

    expect(failed).toMatchObject({ reason: { code: "storage_unavailable", cause: { message: "planned" } } });
    expect([stored.status, paths.map(([path]) => path)]).toEqual(["fulfilled", ["b"]]);
  });
});
