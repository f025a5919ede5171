import { once } from "node:events";
import { TroupeError } from "@troupe/core";
import { PgVectorStore } from "@troupe/vector-pgvector";

/**
 * A process with its own store: `store-child.ts <url> <schema> <dimensions>`. Sends `"ready"`, waits for a message,
 * initializes, stores a document in one collection, and sends `"stored"` or the message of the error.
 */
const [url = "", schema = "", dimensions = ""] = process.argv.slice(2);

process.send?.("ready");
await once(process, "message");
const store = new PgVectorStore(url, { schema });
const embedding = Array.from({ length: Number(dimensions) }, () => 1);
let outcome = "stored";
try {
  await store.initialize();
  await store.collection("shared").upsert({ id: `p${process.pid}`, content: dimensions, embedding });
} catch (error) {
  outcome = TroupeError.is(error) ? `${error.code}: ${error.message}` : String(error);
}
await store.close();
process.send?.({ outcome }, () => process.disconnect());
