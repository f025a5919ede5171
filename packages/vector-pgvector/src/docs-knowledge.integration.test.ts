import { checkDocsKnowledge } from "@troupe-internal/fault-tools";
import { expect, it, onTestFinished } from "vitest";
import { serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PgVectorStore } from "./index.ts";

const newSchema = testSchemas();

it.skipIf(serverUrl === "")(
  "a knowledge base of this repository's docs in PostgreSQL answers ten questions [knowledge.docs]",
  async () => {
    const store = new PgVectorStore(serverUrl, { schema: newSchema() });
    onTestFinished(async () => await store.close());

    await expect(checkDocsKnowledge(store)).resolves.toBeUndefined();
  },
);
