import { checkConformance, runServiceCases } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { useTestFolder } from "../test/test-folder.ts";
import { SqliteStorage } from "./sqlite-storage.ts";

const newFile = useTestFolder();

describe("RunService over SqliteStorage, with two connections to one file", () => {
  checkConformance(it, runServiceCases, {
    create: () => {
      const path = newFile();
      return { storage: new SqliteStorage(path), second: new SqliteStorage(path) };
    },
    dispose: async ({ storage, second }) => {
      await storage.close();
      await second.close();
    },
  });
});
