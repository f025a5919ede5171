import { InMemoryStorage } from "@troupe/core";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectHostedTurns, expectPausedTurns, hostedVendors } from "./hosted-turns.ts";

const storages = { memory: () => new InMemoryStorage(), SQLite: () => new SqliteStorage(":memory:") };

describe.each(Object.entries(storages))("an answer with the vendor's own tools, stored in %s", (_name, open) => {
  const opened = () => {
    const storage = open();
    onTestFinished(() => storage.close());
    return storage;
  };

  it.each(
    Object.keys(hostedVendors).flatMap((name) => ["run" as const, "stream" as const].map((way) => ({ name, way }))),
  )(
    "goes back to $name as it was, search and code, in later turns, by $way [model-calls.stored-vendor-state] [model-calls.sources]",
    async ({ name, way }) => {
      expect.hasAssertions();
      await expectHostedTurns(name, opened(), way);
    },
  );

  it.each(["run", "stream"] as const)(
    "goes back to Anthropic as it was, paused in the midst of its code, by %s [model-calls.paused] [model-calls.stored-vendor-state]",
    async (way) => {
      expect.hasAssertions();
      await expectPausedTurns(opened(), way);
    },
  );
});
