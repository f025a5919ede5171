import { BaseEmbedding, Document, Settings, storageContextFromDefaults, VectorStoreIndex } from "llamaindex";
import { answerCosts, embed, versionOf } from "./documents.mjs";

class BenchEmbeddings extends BaseEmbedding {
  async getTextEmbedding(text) {
    return embed(text);
  }
  getTextEmbeddings = async (texts) => texts.map(embed);
}

Settings.embedModel = new BenchEmbeddings();
const storageContext = await storageContextFromDefaults({});
let index;
const find = (filters) => async (query) => {
  const found = await index.asRetriever({ similarityTopK: 10, ...(filters && { filters }) }).retrieve({ query });
  return found.map(({ node }) => node.text);
};

answerCosts(versionOf("llamaindex"), {
  add: async (documents) => {
    const whole = documents.map(({ id, content, metadata }) => new Document({ id_: id, text: content, metadata, excludedEmbedMetadataKeys: ["part"] }));
    index = await VectorStoreIndex.fromDocuments(whole, { storageContext });
  },
  search: find(),
  searchPart: find({ filters: [{ key: "part", value: 7, operator: "==" }] }),
});
