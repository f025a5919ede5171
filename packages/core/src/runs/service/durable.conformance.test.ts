import { describe, it } from "vitest";
import { checkConformance } from "../../testing/conformance/check-conformance.ts";
import { runEngineCases } from "../../testing/conformance/run-engine-cases.ts";
import { runServiceCases } from "../../testing/conformance/run-service-cases.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { LocalEngine } from "../processes/local-engine.ts";

describe("LocalEngine", () => {
  checkConformance(it, runEngineCases, {
    create: () => new LocalEngine(),
    dispose: async (engine) => await engine.close(),
  });
});

describe("RunService over InMemoryStorage", () => {
  checkConformance(it, runServiceCases, {
    create: () => {
      const storage = new InMemoryStorage();
      return { storage, second: storage };
    },
  });
});
