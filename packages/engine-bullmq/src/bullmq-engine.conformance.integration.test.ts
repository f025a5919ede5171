import { checkConformance, runEngineCases } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { databases, freshEngine } from "../test/servers.ts";

for (const { name, url, connection } of databases) {
  describe.skipIf(url === "")(`BullMqEngine on ${name}`, () => {
    checkConformance(it, runEngineCases, {
      create: () => freshEngine(connection),
      dispose: (engine) => engine.close(),
    });
  });
}
