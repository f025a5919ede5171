import { checkDocsKnowledge } from "@troupe-internal/fault-tools";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { SearchDouble } from "./test/search-double.ts";
import { dropTestDb, newStore, serverUrl } from "./test/stores.ts";

describe.skipIf(serverUrl === "")("a knowledge base of this repository's docs in MongoDB", () => {
  afterAll(async () => await dropTestDb());

  it("answers ten questions by comparing all documents [knowledge.docs]", async () => {
    const store = newStore({ search: "exact" });
    onTestFinished(async () => await store.close());

    await expect(checkDocsKnowledge(store)).resolves.toBeUndefined();
  });

  it("answers ten questions through a double of MongoDB Vector Search [knowledge.docs]", async () => {
    const double = await SearchDouble.create(serverUrl, { mostIndexes: 10_000 });
    const store = newStore({}, double.url);
    onTestFinished(async () => {
      await store.close();
      await double.close();
    });

    await expect(checkDocsKnowledge(store)).resolves.toBeUndefined();
  });
});
