import { SqliteVectorStore } from "../src/sqlite-vector-store.ts";

/**
 * One of several processes on one file. Sends `ready`; on a message it creates the collection of its dimensions, tells
 * the outcome, stores documents in another collection, and ends.
 */
const [file = "", name = "", dimensions = "2", documents = "0"] = process.argv.slice(2);
const store = new SqliteVectorStore(file, { durability: "normal", busyTimeoutMs: 60_000 });

async function create(): Promise<string> {
  const embedding = Array.from({ length: Number(dimensions) }, () => 1);
  return await store
    .collection("first")
    .upsert({ id: name, content: name, embedding })
    .then(() => "stored")
    .catch((error: Error) => error.message);
}

async function work(): Promise<void> {
  await store.initialize();
  process.send?.({ created: await create(), dimensions });
  const shared = store.collection("shared");
  for (let index = 0; index < Number(documents); index++)
    await shared.upsert({ id: `${name}/${index}`, content: name, embedding: [1, index], metadata: { name } });
  await store.close();
  process.disconnect();
}

process.once("message", () => void work());
process.send?.("ready");
