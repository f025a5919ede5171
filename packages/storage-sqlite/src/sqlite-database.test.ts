import { DatabaseSync } from "node:sqlite";
import { readOptions } from "@troupe/core/kit";
import { expect, it } from "vitest";
import { useTestFolder } from "../test/test-folder.ts";
import { openFile } from "./open-file.ts";
import { sqliteOptionTable } from "./sqlite-options.ts";

const newFile = useTestFolder();

it("SqliteDatabase locks the file for writing before the first statement of a transaction", async () => {
  const file = newFile();
  const database = await openFile(file, readOptions(sqliteOptionTable, {}, {}));
  const other = new DatabaseSync(file);
  const isFree = (): boolean => {
    try {
      other.exec("begin immediate; rollback");
      return true;
    } catch {
      return false;
    }
  };
  const seen: boolean[] = [];
  // Its fields are read within the call: in a transaction for an append, without one for a write.
  const record = {
    namespace: "ns",
    key: "k",
    keyPrefix: "k/",
    lease: undefined,
    get text() {
      seen.push(isFree());
      return "1";
    },
  };

  await database.append(record);
  await database.write(record);
  expect(seen).toEqual([false, true]);
  other.close();
  await database.close();
});
