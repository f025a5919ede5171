import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createLogger } from "@troupe/core";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { SqliteVectorStore } from "@troupe/vector-sqlite";
import { OfflineEmbeddings } from "@troupe-internal/offline-model";
import { expect, it, onTestFinished } from "vitest";
import { ProjectDocs } from "./project-docs.ts";

it("ProjectDocs lets others write to its SQLite file again and again while it stores the pages", async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "troupe.db");
  const storage = new SqliteStorage(file);
  const embeddings = new OfflineEmbeddings();
  const vectorStore = new SqliteVectorStore(file, { embeddings });
  const docs = new ProjectDocs({ embeddings, vectorStore, storage, logger: createLogger() });
  let writes = 0;

  const filling = docs.fill().then(() => "filled");
  while ((await Promise.race([filling, sleep(1)])) !== "filled") {
    await storage.set("others", "key", writes);
    writes += 1;
  }
  await docs.close();
  await storage.close();

  // Without a pause two are let in: before the first page, and behind the last one.
  expect(writes).toBeGreaterThan(8);
});
