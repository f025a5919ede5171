import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { Document } from "@langchain/core/documents";
import { Embeddings } from "@langchain/core/embeddings";
import { RecursiveCharacterTextSplitter } from "@langchain/textsplitters";
import { answerCosts, embed, versionOf } from "./documents.mjs";

class BenchEmbeddings extends Embeddings {
  async embedQuery(text) {
    return embed(text);
  }
  async embedDocuments(texts) {
    return texts.map(embed);
  }
}

const store = new MemoryVectorStore(new BenchEmbeddings({}));
const splitter = new RecursiveCharacterTextSplitter({ chunkSize: 8000, chunkOverlap: 800 });
const find = (filter) => async (query) =>
  (await store.similaritySearch(query, 10, filter)).map(({ pageContent }) => pageContent);

answerCosts(versionOf("@langchain/classic"), {
  add: async (documents) => {
    const whole = documents.map(({ id, content, metadata }) => new Document({ id, pageContent: content, metadata }));
    await store.addDocuments(await splitter.splitDocuments(whole));
  },
  search: find(),
  searchPart: find(({ metadata }) => metadata.part === 7),
});
