import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Json } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { useTestFolder } from "../test/test-folder.ts";
import { SqliteStorage } from "./sqlite-storage.ts";
import type { SqliteOptions } from "./sqlite-options.ts";

const newFile = useTestFolder();

describe("SqliteStorage", () => {
  it("opens nothing before its first call", async () => {
    const file = newFile();
    const storage = new SqliteStorage(file);

    expect(existsSync(file)).toBe(false);
    await storage.ping();
    expect(existsSync(file)).toBe(true);
    await storage.close();
  });

  it("creates no file when it is closed before its first call", async () => {
    const file = newFile();
    const storage = new SqliteStorage(file);
    await storage.close();

    await expect(storage.ping()).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(existsSync(file)).toBe(false);
  });

  it("opens once for concurrent first calls", async () => {
    const storage = new SqliteStorage(":memory:");
    await Promise.all([storage.set("ns", "a", 1), storage.set("ns", "b", 2), storage.append("ns", "c/", 3)]);

    // A second open would have created a second database in memory.
    expect(await storage.list("ns")).toHaveLength(3);
    await storage.close();
  });

  it("finishes running calls before it closes", async () => {
    const file = newFile();
    const storage = new SqliteStorage(file);
    const writes = Array.from({ length: 20 }, async (_, index) => await storage.append("ns", "s/", index));
    await storage.close();

    expect((await Promise.all(writes)).map(({ seq }) => seq)).toHaveLength(20);
    expect(await listOf(file)).toHaveLength(20);
  });

  it("reads what another storage on the file stored, with members in the same order [sqlite.driver]", async () => {
    const file = newFile();
    const value = { z: "a\0b", a: [1, { "": "😀" }] };
    const storage = new SqliteStorage(file);
    await storage.set("ns", "k", value);
    await storage.close();

    expect(JSON.stringify(await listOf(file))).toBe(JSON.stringify([{ key: "k", value }]));
  });

  it("resolves a relative path when it is created [sqlite.driver]", async () => {
    const file = newFile();
    const before = process.cwd();
    process.chdir(dirname(file));
    const storage = new SqliteStorage(basename(file));
    process.chdir(before);
    await storage.set("ns", "k", 1);
    await storage.close();

    expect(existsSync(file)).toBe(true);
  });

  it("keeps the records of each table apart, and leaves other tables alone", async () => {
    const file = newFile();
    const own = new DatabaseSync(file);
    own.exec("create table mine (id integer); insert into mine values (1)");
    const [one, other] = [new SqliteStorage(file), new SqliteStorage(file, { table: "other" })];
    await one.set("ns", "k", 1);

    expect(await other.get("ns", "k")).toBeNull();
    expect(own.prepare("select count(*) as count from mine").get()).toEqual({ count: 1 });
    await Promise.all([one.close(), other.close()]);
    own.close();
  });

  it("leaves one file after close, without a write-ahead log", async () => {
    const file = newFile();
    const storage = new SqliteStorage(file);
    await storage.set("ns", "k", 1);
    expect(existsSync(`${file}-wal`)).toBe(true);
    await storage.close();

    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(readFileSync(file).subarray(0, 15).toString()).toBe("SQLite format 3");
  });

  it.each(["{", "", "\u0000"])("reports a record that holds %j as corrupt, without quoting it", async (text) => {
    const file = newFile();
    const storage = new SqliteStorage(file);
    await storage.set("ns", "k", 1);
    const other = new DatabaseSync(file);
    other.prepare("update troupe_records set value = ?").run(text);
    other.close();

    const corrupt = { code: "storage_corrupt", fields: { namespace: "ns", key: "k" } };
    await expect(storage.get("ns", "k")).rejects.toMatchObject(corrupt);
    await expect(storage.list("ns")).rejects.toMatchObject(corrupt);
    await expect(storage.compareAndSet("ns", "k", 2, 3)).rejects.toMatchObject(corrupt);
    await storage.close();
  });
});

describe("SqliteStorage on a file that is damaged while it is open", () => {
  it("fails a ping when the file is removed or replaced", async () => {
    const file = newFile();
    const storage = new SqliteStorage(file);
    await storage.set("ns", "k", 1);
    const gone = { code: "storage_unavailable", message: expect.stringContaining(`${file} was moved or removed`) };

    rmSync(file);
    await expect(storage.ping()).rejects.toMatchObject(gone);
    writeFileSync(file, "");
    await expect(storage.ping()).rejects.toMatchObject(gone);
    await storage.close();
  });

  it("reports that the file is damaged", async () => {
    const file = newFile();
    const storage = new SqliteStorage(file);
    for (let number = 1; number <= 50; number++) await storage.append("ns", "s/", "x".repeat(1000));
    await storage.close();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xff, 4096));

    const damaged = new SqliteStorage(file);
    await expect(damaged.list("ns")).rejects.toMatchObject({
      code: "storage_corrupt",
      message: expect.stringContaining(`${file} is damaged`),
    });
    await damaged.close();
  });
});

describe("SqliteStorage's arguments", () => {
  it.each([
    [{ durability: "off" }, 'durability must be "full" or "normal", got a string.'],
    [{ busyTimeoutMs: -1 }, "busyTimeoutMs must be a number of milliseconds from 0 to 2147483647, got -1."],
    [{ table: "a;b" }, "table must be at most 48"],
    [{ table: "sqlite_records" }, "table must be at most 48"],
    [{ timeout: 1 }, 'Unknown option "timeout" of SqliteStorage'],
    [null, "The options of SqliteStorage must be an object, got null."],
  ])("are refused when the options are %j", (options, message) => {
    expect(() => new SqliteStorage("a.db", options as SqliteOptions)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }),
    );
  });

  it.each([undefined, "", 1, "a\0b", "file:a.db", new URL("file:///a.db")])(
    "are refused when the path is %s",
    (path) => {
      expect(() => new SqliteStorage(path as string)).toThrow(
        expect.objectContaining({ code: "invalid_config", message: expect.stringContaining("path must be") }),
      );
    },
  );
});

describe("SqliteStorage's first call", () => {
  it("reports that the folder of the file is missing", async () => {
    const file = `${newFile()}/missing/a.db`;

    await expect(new SqliteStorage(file).ping()).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining(`${file} cannot be opened. Its folder must exist`),
    });
  });

  it("reports that the file is not a database, and does not change it", async () => {
    const file = newFile();
    const text = "no database\n".repeat(100);
    writeFileSync(file, text);

    await expect(new SqliteStorage(file).get("ns", "k")).rejects.toMatchObject({
      code: "storage_corrupt",
      message: expect.stringContaining(`${file} is not an SQLite database. Use another file`),
    });
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("reports that the table has other columns", async () => {
    const file = newFile();
    const own = new DatabaseSync(file);
    own.exec("create table people (id integer primary key)");
    own.close();

    await expect(new SqliteStorage(file, { table: "people" }).get("ns", "k")).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("Set table to another name"),
    });
  });

  it("refuses a file in UTF-16, which sorts keys in another order", async () => {
    const file = newFile();
    const own = new DatabaseSync(file);
    own.exec("pragma encoding = 'UTF-16le'; create table mine (id integer)");
    own.close();

    await expect(new SqliteStorage(file).ping()).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining(`${file} must be encoded in UTF-8, got UTF-16le`),
    });
  });

  it("leaves nothing open when it fails, and the next call tries again", async () => {
    const file = newFile();
    writeFileSync(file, "no database\n".repeat(100));
    const storage = new SqliteStorage(file);
    await expect(storage.ping()).rejects.toMatchObject({ code: "storage_corrupt" });
    expect(openFiles()).not.toContain(file);
    writeFileSync(file, "");

    await expect(storage.ping()).resolves.toBeUndefined();
    await storage.close();
  });
});

/** The paths of the files that this process has open, where the system shows them. */
function openFiles(): string[] {
  const folder = "/proc/self/fd";
  const links = existsSync(folder) ? readdirSync(folder) : [];
  return links.flatMap((link) => {
    try {
      return readlinkSync(join(folder, link));
    } catch {
      // The descriptor of the folder itself.
      return [];
    }
  });
}

async function listOf(file: string): Promise<{ key: string; value: Json }[]> {
  const storage = new SqliteStorage(file);
  const entries = await storage.list("ns");
  await storage.close();
  return entries;
}
