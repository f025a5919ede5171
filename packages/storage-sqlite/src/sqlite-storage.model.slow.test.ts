import { checkStorageModel } from "@troupe-internal/fault-tools";
import { expect, it } from "vitest";
import { useTestFolder } from "../test/test-folder.ts";
import { SqliteStorage } from "./sqlite-storage.ts";

const newFile = useTestFolder();

it("SqliteStorage answers any sequence of calls as the in-memory storage does", async () => {
  const open = () => new SqliteStorage(newFile(), { durability: "normal" });

  await expect(checkStorageModel({ open })).resolves.toBeUndefined();
});
