import { checkConformance, runServiceCases } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PostgresStorage } from "./postgres-storage.ts";

const newSchema = testSchemas();

describe.skipIf(serverUrl === "")("RunService over PostgresStorage, with two storages on one table", () => {
  checkConformance(it, runServiceCases, {
    create: () => {
      const schema = newSchema();
      return {
        storage: new PostgresStorage(serverUrl, { schema }),
        second: new PostgresStorage(serverUrl, { schema }),
      };
    },
    dispose: async ({ storage, second }) => {
      await storage.close();
      await second.close();
    },
  });
});
