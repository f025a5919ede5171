import { DatabaseSync } from "node:sqlite";
import type { SqlSteps } from "@troupe-internal/sql-storage";
import { expect, it } from "vitest";
import { useTestFolder } from "../test/test-folder.ts";
import { openFile } from "./open-file.ts";
import { readOptions } from "./sqlite-options.ts";

const newFile = useTestFolder();

it("SqliteConnection lets nobody else begin to write before the first step of a transaction", async () => {
  const file = newFile();
  const connection = await openFile(file, readOptions({}));
  const other = new DatabaseSync(file);
  const isFree = (): boolean => {
    try {
      other.exec("begin immediate; rollback");
      return true;
    } catch {
      return false;
    }
  };
  // oxlint-disable-next-line require-yield -- what matters is that the steps have begun
  function* look(): SqlSteps<boolean> {
    return isFree();
  }

  expect(await connection.transact(look)).toBe(false);
  expect(await connection.run(look)).toBe(true);
  other.close();
  await connection.close();
});
