import { readFileSync } from "node:fs";
import { InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import { answerCosts, dimensions, embed } from "./documents.mjs";

const { version } = JSON.parse(readFileSync(new URL("../../../../../packages/core/package.json", import.meta.url)));
const embeddings = {
  dimensions,
  embed: async (text) => embed(text),
  embedBatch: async (texts) => texts.map(embed),
};
const vectorStore = new InMemoryVectorStore({ embeddings });
const knowledge = new KnowledgeBase({ name: "documents", vectorStore });
const find = (options) => async (query) =>
  (await knowledge.search(query, { topK: 10, ...options })).map(({ document }) => document.content);

answerCosts(version, {
  add: async (documents) => await knowledge.addDocuments(documents),
  search: find({ mode: "vector" }),
  searchPart: find({ mode: "vector", filter: { part: 7 } }),
  searchBoth: find({ mode: "hybrid" }),
  close: async () => await knowledge.close(),
});
