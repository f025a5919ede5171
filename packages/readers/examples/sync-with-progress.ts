import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import type { SyncDocument, SyncProgress } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";
import { readFolder } from "@troupe/readers";

const width = 30;
const began = performance.now();

/** Draws a bar with the documents that are done, the tokens, and the time that is left if the rate stays. */
function draw({ stored, unchanged, failed, deleted, tokens, left }: SyncProgress): string {
  const done = stored + unchanged + failed;
  const counts = `${done} documents, ${tokens} tokens, ${deleted} deleted, ${failed} failed`;
  if (left === undefined) return counts;
  const share = done / Math.max(1, done + left);
  const bar = "█".repeat(Math.round(share * width)).padEnd(width, "░");
  const seconds = ((performance.now() - began) / 1000) * (1 / Math.max(share, 0.01) - 1);
  return `${bar} ${Math.round(share * 100)} %  ${counts}, ${Math.ceil(seconds)} s left`;
}

const folder = await mkdtemp(join(tmpdir(), "troupe-sync-"));
for (let page = 1; page <= 20; page++) await writeFile(join(folder, `${page}.md`), `# Page ${page}\n\nText of it.`);

// The documents are listed first, because the bar needs their number: a Set has a `size`.
const documents = new Set<SyncDocument>();
for await (const document of readFolder(folder)) documents.add(document);

const knowledge = new KnowledgeBase({
  name: "guide",
  vectorStore: new InMemoryVectorStore({ embeddings: new FakeEmbeddings() }),
});
const { stdout } = process;
const { stored, failures } = await knowledge.sync(documents, {
  onProgress: (progress) => {
    // A terminal shows one line that changes; a file gets only the end.
    if (stdout.isTTY) stdout.write(`\r\u001B[2K${draw(progress)}`);
    else if (progress.left === 0) console.log(draw(progress));
  },
});
if (stdout.isTTY) console.log();
await knowledge.close();

assert.deepEqual([stored, failures], [documents.size, []]);
await rm(folder, { recursive: true });
