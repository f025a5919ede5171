import { chmodSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { readOptions } from "@troupe/core/kit";
import { expect, it, onTestFinished, vi } from "vitest";
import { useTestFolder } from "../test/test-folder.ts";
import { openFile } from "./open-file.ts";
import { sqliteOptionTable } from "./sqlite-options.ts";
import type { SqliteOptions } from "./sqlite-options.ts";

const newFile = useTestFolder();

it.each<[SqliteOptions, number]>([
  [{}, 2],
  [{ durability: "full" }, 2],
  [{ durability: "normal" }, 1],
])("openFile sets SQLite's synchronous and journal modes for %j", async (options, synchronous) => {
  const exec = vi.spyOn(DatabaseSync.prototype, "exec");
  onTestFinished(() => exec.mockRestore());
  const opened = await openFile(newFile(), readOptions(sqliteOptionTable, options, {}));
  const database = exec.mock.contexts[0] as DatabaseSync;

  expect(database.prepare("pragma synchronous").get()).toEqual({ synchronous });
  expect(database.prepare("pragma journal_mode").get()).toEqual({ journal_mode: "wal" });
  await opened.close();
});

it("openFile creates the file and those of its log for their owner alone, and leaves the mode of one that exists", async () => {
  const [file, existing] = [newFile(), newFile()];
  writeFileSync(existing, "");
  chmodSync(existing, 0o644);
  const modeOf = (path: string): number => statSync(path).mode & 0o777;
  const umask = process.umask(0o277);
  onTestFinished(() => void process.umask(umask));
  const settings = readOptions(sqliteOptionTable, {}, {});
  const [created, opened] = [await openFile(file, settings), await openFile(existing, settings)];

  expect([file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual([0o600, 0o600, 0o600]);
  expect([existing, `${existing}-wal`].map(modeOf)).toEqual([0o644, 0o644]);
  await created.close();
  await opened.close();
});
