import { checkDocsKnowledge } from "@troupe-internal/fault-tools";
import { expect, it } from "vitest";
import { useVectorFiles } from "../test/stores.ts";
import { SqliteVectorStore } from "./sqlite-vector-store.ts";

const newVectorFile = useVectorFiles();

it("a knowledge base of this repository's docs in an SQLite file answers ten questions [knowledge.docs]", async () => {
  const store = new SqliteVectorStore(newVectorFile(), { durability: "normal" });

  await expect(checkDocsKnowledge(store)).resolves.toBeUndefined();
  await store.close();
});
