import { afterAll, describe } from "vitest";
import { checkContract } from "./test/check-contract.ts";
import { dropTestDb, newStore, serverUrl, standaloneUrl } from "./test/stores.ts";

const standaloneGaps = { "shows a reader all of a change or none": "a standalone server has no transactions" };

describe.skipIf(serverUrl === "")("MongoDbVectorStore that compares all documents [mongodb.vector-store]", () => {
  afterAll(async () => await dropTestDb());
  checkContract((options) => newStore({ ...options, search: "exact" }));
});

describe.skipIf(standaloneUrl === "")("MongoDbVectorStore on a standalone server [mongodb.vector-store]", () => {
  afterAll(async () => await dropTestDb(standaloneUrl));
  checkContract((options) => newStore(options, standaloneUrl), { knownGaps: standaloneGaps });
});
