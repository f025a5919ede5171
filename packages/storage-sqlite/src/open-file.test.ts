import { DatabaseSync } from "node:sqlite";
import { readOptions } from "@troupe/core/adapter";
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
