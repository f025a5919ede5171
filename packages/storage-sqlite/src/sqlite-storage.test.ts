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

  it("makes no file when it is closed before its first call", async () => {
    const file = newFile();
    const storage = new SqliteStorage(file);
    await storage.close();

    await expect(storage.ping()).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(existsSync(file)).toBe(false);
  });

  it("opens once for first calls at the same time", async () => {
    const storage = new SqliteStorage(":memory:");
    await Promise.all([storage.set("ns", "a", 1), storage.set("ns", "b", 2), storage.append("ns", "c/", 3)]);

    // Each opening would have made a memory of its own.
    expect(await storage.list("ns")).toHaveLength(3);
    await storage.close();
  });

  it("finishes the calls that are under way when it is closed", async () => {
    const file = newFile();
    const storage = new SqliteStorage(file);
    const writes = Array.from({ length: 20 }, async (_, index) => await storage.append("ns", "s/", index));
    await storage.close();

    expect((await Promise.all(writes)).map(({ seq }) => seq)).toHaveLength(20);
    expect(await listOf(file)).toHaveLength(20);
  });

  it("gives back what another opening of the file stored, in the order of its members", async () => {
    const file = newFile();
    const value = { z: "a\0b", a: [1, { "": "😀" }] };
    const storage = new SqliteStorage(file);
    await storage.set("ns", "k", value);
    await storage.close();

    expect(JSON.stringify(await listOf(file))).toBe(JSON.stringify([{ key: "k", value }]));
  });

  it("takes a relative path from the folder in which it was made", async () => {
    const file = newFile();
    const before = process.cwd();
    process.chdir(dirname(file));
    const storage = new SqliteStorage(basename(file));
    process.chdir(before);
    await storage.set("ns", "k", 1);
    await storage.close();

    expect(existsSync(file)).toBe(true);
  });

  it("keeps the records of each table for themselves, and leaves other tables alone", async () => {
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

  it("leaves one file behind, the log written into it", async () => {
    const file = newFile();
    const storage = new SqliteStorage(file);
    await storage.set("ns", "k", 1);
    expect(existsSync(`${file}-wal`)).toBe(true);
    await storage.close();

    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(readFileSync(file).subarray(0, 15).toString()).toBe("SQLite format 3");
  });

  it.each(["{", "", "\u0000"])("says that a record is damaged that holds %j, and quotes none of it", async (text) => {
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

describe("SqliteStorage whose file is harmed while it is open", () => {
  it("fails its pings when the file is gone, and when another is in its place", async () => {
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

  it("says that the file is damaged", async () => {
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

describe("SqliteStorage's options", () => {
  it.each([
    [{ durability: "off" }, 'durability must be "full" or "normal", got a string.'],
    [{ busyTimeoutMs: -1 }, "busyTimeoutMs must be a number of milliseconds from 0 to 2147483647, got -1."],
    [{ table: "a;b" }, "table must be a name of at most 48"],
    [{ table: "sqlite_records" }, "table must be a name of at most 48"],
    [{ timeout: 1 }, 'Unknown option "timeout" of SqliteStorage'],
    [null, "options must be an object, got null."],
  ])("refuse %j", (options, message) => {
    expect(() => new SqliteStorage("a.db", options as SqliteOptions)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }),
    );
  });

  it.each([undefined, "", 1, "a\0b", "file:a.db", new URL("file:///a.db")])("refuse %s for a path", (path) => {
    expect(() => new SqliteStorage(path as string)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining("path must be") }),
    );
  });
});

describe("SqliteStorage at its first call", () => {
  it("says that the folder of its file is missing", async () => {
    const file = `${newFile()}/missing/a.db`;

    await expect(new SqliteStorage(file).ping()).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining(`${file} cannot be opened: its folder must exist`),
    });
  });

  it("says that its file is no database, and leaves it as it was", async () => {
    const file = newFile();
    const text = "no database\n".repeat(100);
    writeFileSync(file, text);

    await expect(new SqliteStorage(file).get("ns", "k")).rejects.toMatchObject({
      code: "storage_corrupt",
      message: expect.stringContaining(`${file} is no SQLite database: name another file`),
    });
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("says that its table is somebody else's", async () => {
    const file = newFile();
    const own = new DatabaseSync(file);
    own.exec("create table people (id integer primary key)");
    own.close();

    await expect(new SqliteStorage(file, { table: "people" }).get("ns", "k")).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("name another table"),
    });
  });

  it("says that its file is not in UTF-8, where the order of keys would be another", async () => {
    const file = newFile();
    const own = new DatabaseSync(file);
    own.exec("pragma encoding = 'UTF-16le'; create table mine (id integer)");
    own.close();

    await expect(new SqliteStorage(file).ping()).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining(`${file} holds text as UTF-16le`),
    });
  });

  it("leaves nothing open when it failed, and tries again", async () => {
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

/** The paths of what this process has open, where the system shows them. */
function openFiles(): string[] {
  const folder = "/proc/self/fd";
  const links = existsSync(folder) ? readdirSync(folder) : [];
  return links.flatMap((link) => {
    try {
      return readlinkSync(join(folder, link));
    } catch {
      // The one through which the folder was read.
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
