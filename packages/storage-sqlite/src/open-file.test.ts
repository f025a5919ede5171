import type { SqlRow, SqlSteps } from "@troupe-internal/sql-storage";
import { expect, it } from "vitest";
import { useTestFolder } from "../test/test-folder.ts";
import { openFile } from "./open-file.ts";
import { readOptions } from "./sqlite-options.ts";
import type { SqliteOptions } from "./sqlite-options.ts";

const newFile = useTestFolder();

it.each<[SqliteOptions, number]>([
  [{}, 2],
  [{ durability: "full" }, 2],
  [{ durability: "normal" }, 1],
])("openFile has SQLite wait for the disk as %j asks", async (options, level) => {
  const connection = await openFile(newFile(), readOptions(options));
  const ask = async (sql: string) => await connection.run(() => oneStep(sql));

  expect(await ask("pragma synchronous")).toEqual([{ synchronous: level }]);
  expect(await ask("pragma journal_mode")).toEqual([{ journal_mode: "wal" }]);
  await connection.close();
});

function* oneStep(sql: string): SqlSteps<readonly SqlRow[]> {
  return yield { sql, parameters: [] };
}
