import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";
// #region readme
import { Agent, KnowledgeBase } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { http } from "@troupe/http";
import { SqliteVectorStore } from "@troupe/vector-sqlite";
// #endregion

// Without a key: embeddings that compare spelling, and a model that searches first and then cites.
const embeddings = new FakeEmbeddings();
const model = new ScriptedModel(
  { toolCalls: [{ name: "search_handbook", arguments: { query: "days of vacation" } }] },
  "You have 25 days of vacation [1]. Ask your lead before you book [9].",
);
const folder = mkdtempSync(join(tmpdir(), "troupe-cite-"));
const file = join(folder, "handbook.db");
const port = Number(process.env["PORT"] ?? 0);

// #region readme
const handbook = new KnowledgeBase({ name: "handbook", vectorStore: new SqliteVectorStore(file, { embeddings }) });
await handbook.addDocuments([
  {
    id: "vacation",
    content: "Everyone has 25 days of vacation a year.",
    metadata: { title: "Vacation", url: "https://wiki.example.com/vacation" },
  },
  {
    id: "parking",
    content: "Bicycles are parked in the yard.",
    metadata: { title: "Parking", url: "https://wiki.example.com/parking" },
  },
]);

const support = new Agent({
  name: "support",
  model,
  instructions: "Answer from the handbook alone. If it has no answer, say so.",
  tools: [handbook.asTool({ cite: true })],
});
const service = createService({ agents: { support } });
const { url } = await serve(service, [http()], { port });

const response = await fetch(`${url}/agents/support/run`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ input: "How many days of vacation do I have?" }),
});
const { text, sources } = (await response.json()) as { text: string; sources: { title: string; url: string }[] };
console.log(text);
for (const [index, { title, url: link }] of sources.entries()) console.log(`[${index + 1}] ${title}: ${link}`);
// #endregion

assert.equal(text, "You have 25 days of vacation [1]. Ask your lead before you book.");
assert.equal(sources[0]?.title, "Vacation");
await service.close();
await handbook.close();
rmSync(folder, { recursive: true });
