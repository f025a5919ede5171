import { checkDocsKnowledge } from "@troupe-internal/fault-tools";
import { createId } from "@troupe/core/kit";
import { expect, it, onTestFinished } from "vitest";
import { QdrantVectorStore } from "./qdrant-vector-store.ts";

const url = process.env["TROUPE_TEST_QDRANT_URL"] ?? "";

it.skipIf(url === "")(
  "a knowledge base of this repository's docs on a Qdrant server answers ten questions [knowledge.docs]",
  async () => {
    const prefix = `docs-${createId().slice(-12)}`;
    const store = new QdrantVectorStore({ url, prefix });
    onTestFinished(async () => {
      await store.close();
      const listed = await fetch(`${url}/collections`);
      const { result } = (await listed.json()) as { result: { collections: { name: string }[] } };
      const own = result.collections.filter(({ name }) => name.startsWith(prefix));
      for (const { name } of own) await fetch(`${url}/collections/${name}`, { method: "DELETE" });
    });

    await expect(checkDocsKnowledge(store)).resolves.toBeUndefined();
  },
);
