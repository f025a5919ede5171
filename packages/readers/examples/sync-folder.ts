import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryVectorStore } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";

const vectorStore = new InMemoryVectorStore({ embeddings: new FakeEmbeddings() });
const folder = await mkdtemp(join(tmpdir(), "troupe-sync-"));
process.chdir(folder);
await mkdir("handbook");
await writeFile("handbook/vacation.md", "# Vacation\n\nEveryone has 25 days of vacation a year.");

// #region readme
import { KnowledgeBase } from "@troupe/core";
import { readFolder } from "@troupe/readers";

const handbook = new KnowledgeBase({ name: "handbook", vectorStore });
const documents = readFolder("handbook", { metadata: (path) => ({ url: `https://wiki.example.com/${path}` }) });
const { stored, unchanged, deleted, failures } = await handbook.sync(documents, {
  prefix: "handbook/",
  onProgress: ({ stored: count, tokens }) => console.log(`${count} documents, about ${tokens} tokens`),
});
for (const { id, error } of failures) console.warn(`${id}: ${error.message}`);
// #endregion

assert.deepEqual([stored, unchanged, deleted], [1, 0, 0]);
assert.equal((await handbook.sync(readFolder("handbook"), { prefix: "handbook/" })).stored, 1);
assert.equal((await handbook.sync(readFolder("handbook"), { prefix: "handbook/" })).unchanged, 1);
process.chdir(tmpdir());
await rm(folder, { recursive: true });
