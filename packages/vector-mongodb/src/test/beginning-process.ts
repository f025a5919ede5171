import { TroupeError } from "@troupe/core";
import { MongoDbVectorStore } from "../mongodb-vector-store.ts";
import { silent } from "./stores.ts";

/** The outcome of a process that started a collection: the code of its error, or "stored". */
export type BeginningOutcome = { outcome: string };

/** Stores twenty documents with the given number of dimensions in a new store, and sends the outcome. */
const [url = "", dbName = "", collectionName = "", dimensions = "", from = ""] = process.argv.slice(2);
const store = new MongoDbVectorStore(url, { dbName, collectionName, logger: silent, timeoutMs: 60_000 });
const embedding = Array.from({ length: Number(dimensions) }, () => 1);
const upsert = Array.from({ length: 20 }, (_, index) => ({ id: `${from} ${index}`, content: "", embedding }));
const outcome = await store.write({ upsert }).then(
  () => "stored",
  (error: unknown) => (TroupeError.is(error) ? error.code : String(error)),
);
await store.close();
const said: BeginningOutcome = { outcome };
process.send?.(said);
