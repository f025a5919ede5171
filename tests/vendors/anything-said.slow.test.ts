import { InMemoryStorage } from "@troupe/core";
import { SqliteStorage } from "@troupe/storage-sqlite";
import fc from "fast-check";
import { describe, it, onTestFinished } from "vitest";
import { startOddVendor } from "./anything-sent.ts";
import { bareModel, checkSession, knownCases, largeCases, oddSessions } from "./anything-said.ts";

const numRuns = 200;

describe("a model that says anything", () => {
  const storages = { memory: () => new InMemoryStorage(), SQLite: () => new SqliteStorage(":memory:") };

  it.each(Object.entries(storages))("loses no turn in %s [model-calls.anything-said]", async (_kind, open) => {
    const storage = open();
    onTestFinished(() => storage.close());
    await fc.assert(
      fc.asyncProperty(oddSessions, async (session) => await checkSession(session, bareModel(), storage)),
      { numRuns },
    );
  });

  it.each(Object.entries(storages))(
    "loses no turn in %s in the known cases [model-calls.anything-said]",
    async (_kind, open) => {
      const storage = open();
      onTestFinished(() => storage.close());
      for (const answer of knownCases) {
        for (const isStreamed of [false, true]) {
          await checkSession({ answers: [answer], isStreamed }, bareModel(), storage);
        }
      }
    },
  );

  it("loses no turn that is larger than a record [model-calls.anything-said]", async () => {
    const storage = new SqliteStorage(":memory:");
    onTestFinished(() => storage.close());
    for (const answer of largeCases) await checkSession({ answers: [answer], isStreamed: true }, bareModel(), storage);
  });

  const dialects = ["Chat", "Responses", "Anthropic", "Anthropic with thinking", "Gemini", "Ollama"] as const;

  it.each(dialects)("loses no turn through %s [model-calls.anything-said]", async (dialect) => {
    const vendor = await startOddVendor(dialect);
    const storage = new InMemoryStorage();
    onTestFinished(() => vendor.close());
    for (const answer of knownCases) {
      for (const isStreamed of [false, true]) await checkSession({ answers: [answer], isStreamed }, vendor, storage);
    }
    await fc.assert(
      fc.asyncProperty(oddSessions, async (session) => await checkSession(session, vendor, storage)),
      { numRuns: numRuns / 8 },
    );
  });
});
