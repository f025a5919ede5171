import { TroupeError } from "@troupe/core";
import { QdrantVectorStore } from "../src/qdrant-vector-store.ts";

/** One of several processes that begin a store at once. Sends `ready`, and on a message what became of its document. */
const [url = "", name = "", length = "0"] = process.argv.slice(2);
const store = new QdrantVectorStore({ url });

async function begin(): Promise<object> {
  await store.initialize();
  const model = await store.rememberModel(name);
  const embedding = Array.from({ length: Number(length) }, () => 1);
  try {
    await store.upsert({ id: name, content: name, embedding });
    return { model, stored: name };
  } catch (error) {
    return { model, refused: TroupeError.is(error) ? error.code : "no TroupeError" };
  }
}

process.once("message", () => {
  void begin()
    .then((end) => process.send?.(end))
    .then(async () => await store.close())
    .then(() => process.disconnect());
});
process.send?.("ready");
