// Vector store, embeddings, knowledge base.
import assert from "node:assert/strict";
import { Agent, getTextContent, InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import type {
  Chunking,
  EmbeddingProvider,
  Rerank,
  TextRange,
  ToolDef,
  VectorDocument,
  VectorSearchOptions,
  VectorSearchResult,
  VectorStore,
} from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { googleEmbeddings } from "@troupe/providers-google";
import { openaiEmbeddings } from "@troupe/providers-openai";
import { MongoDbVectorStore } from "@troupe/vector-mongodb";
import { PgVectorStore } from "@troupe/vector-pgvector";

// Two providers, with a key and a model or the defaults.
for (const each of [
  openaiEmbeddings({ apiKey: "sk-1", model: "text-embedding-3-large" }),
  openaiEmbeddings(),
  googleEmbeddings({ apiKey: "sk-2" }),
  googleEmbeddings({}),
])
  assert.equal(typeof each.embedBatch, "function");

const words = ["rain", "sun", "snow"];
const embeddings: EmbeddingProvider = {
  embed: async (text) => words.map((word) => (text.toLowerCase().includes(word) ? 1 : 0.01)),
  embedBatch: async (texts) => await Promise.all(texts.map((text) => embeddings.embed(text))),
};

const store: VectorStore = new InMemoryVectorStore();
const document: VectorDocument = { id: "1", content: "It rains.", embedding: [1, 0, 0], metadata: { city: "Oslo" } };
await store.upsert(document);
await store.upsert({ id: "2", content: "The sun shines.", embedding: [0, 1, 0], metadata: { city: "Rome" } });
const options: VectorSearchOptions = { topK: 1, minScore: 0.5, filter: { city: "Oslo" } };
const found: VectorSearchResult[] = await store.search([1, 0, 0], options);
assert.equal(found[0]?.document.id, "1");
assert.ok(found[0].score > 0.9);
assert.equal(found.length, 1);
assert.equal((await store.get("2"))?.content, "The sun shines.");
assert.equal(await store.get("3"), null);
await store.delete("2");
assert.equal(await store.get("2"), null);
await store.clear();
assert.deepEqual(await store.search([1, 0, 0]), []);
await store.close();

// Servers are reached with the first call.
const remote: VectorStore[] = [
  new PgVectorStore("postgres://troupe:secret@localhost:5432/troupe", { embeddings }),
  new MongoDbVectorStore("mongodb://localhost:27017", { embeddings }),
];
for (const each of remote) await each.close();

const knowledge = new KnowledgeBase({
  name: "weather",
  vectorStore: new InMemoryVectorStore({ embeddings }),
  collection: "reports",
});
await knowledge.initialize();
await knowledge.add({ id: "a", content: "Rain falls in Oslo.", metadata: { city: "Oslo" } });
await knowledge.addDocuments([
  { id: "b", content: "Sun shines in Rome." },
  { id: "c", content: "Snow lies in Tromsø." },
]);
const [best] = await knowledge.search("Where is rain?", { topK: 2 });
assert.equal(best?.document.id, "a");
assert.equal((await knowledge.get("b"))?.content, "Sun shines in Rome.");
await knowledge.delete("b");
assert.equal(await knowledge.get("b"), null);

const tool: ToolDef = knowledge.asTool();
assert.ok(tool.name.length > 0);
assert.equal(knowledge.asTool({ name: "find_report", description: "Finds weather reports." }).name, "find_report");
const model = new ScriptedModel({ toolCalls: [{ name: tool.name, arguments: { query: "rain" } }] }, "In Oslo.");
const output = await new Agent({ name: "helper", model, tools: [tool] }).run("Where does it rain?");
assert.match(getTextContent(output.toolCalls[0]?.result ?? null), /Rain falls in Oslo\./);

// Long documents are found by their pieces, in an order of one's own; a store may be shared.
const shared = new InMemoryVectorStore({ embeddings });
const byLine = (content: string): TextRange[] =>
  [...content.matchAll(/.+\n?/g)].map(({ index, 0: line }) => ({ start: index, end: index + line.length }));
const rerank: Rerank = (_query, results, { topK }) => results.toReversed().slice(0, topK);
const chunkings: (Chunking | undefined)[] = [undefined, false, { size: 100, overlap: 10 }, byLine];
const bases = chunkings.map((chunking, index) => {
  return new KnowledgeBase({ name: `base ${index}`, vectorStore: shared, chunking, rerank, ownsStore: false });
});
const lines = bases[3];
await lines?.add({ id: "days", content: "Rain on Monday.\nSun on Tuesday.\n" });
const sunny = await lines?.search([0, 1, 0], { topK: 1 });
assert.deepEqual(sunny?.[0]?.document, {
  id: "days#2",
  content: "Sun on Tuesday.\n",
  metadata: { documentId: "days", start: 16, end: 32 },
});
assert.equal((await lines?.get("days"))?.content.length, 32);
for (const each of bases) await each.close();
await shared.close();

await knowledge.clear();
assert.deepEqual(await knowledge.search("rain"), []);
await knowledge.close();
