import { afterAll, beforeAll, describe } from "vitest";
import { checkContract } from "./test/check-contract.ts";
import { SearchDouble } from "./test/search-double.ts";
import type { SearchDoubleOptions } from "./test/search-double.ts";
import { dropTestDb, newStore, searchUrl, serverUrl } from "./test/stores.ts";

const kinds: [string, SearchDoubleOptions][] = [
  ["whose index is late", { refreshEvery: 5, buildsFor: 0 }],
  ["that has $similarityCosine alone", { vectorSearch: false, similarity: true }],
];

describe.skipIf(serverUrl === "").each(kinds)(
  "MongoDbVectorStore with a double of MongoDB Vector Search %s [mongodb.vector-index]",
  (_name, options) => {
    let double: SearchDouble;
    beforeAll(async () => {
      double = await SearchDouble.create(serverUrl, { mostIndexes: 10_000, ...options });
    });
    afterAll(async () => {
      await double.close();
      await dropTestDb();
    });
    checkContract((storeOptions) => newStore(storeOptions, double.url));
  },
);

// Atlas, or a server with mongot: the real thing. One index serves all tests, because small clusters allow few.
describe.skipIf(searchUrl === "")("MongoDbVectorStore with MongoDB Vector Search", () => {
  afterAll(async () => await dropTestDb(searchUrl));
  const shared = { search: "vector", collectionName: "vectors" } as const;
  checkContract((options) => newStore({ ...options, ...shared }, searchUrl), { isShared: true });
});
