import { SqliteVectorStore } from "../src/sqlite-vector-store.ts";

/** Replaces a group of documents by the next until it is killed, and confirms each change with a message. */
const [file = ""] = process.argv.slice(2);
const store = new SqliteVectorStore(file, { durability: "normal" });

for (let group = 1; ; group++) {
  const upsert = Array.from({ length: 20 }, (_, index) => {
    const content = `${group}`.repeat(2000);
    return { id: `${group}/${index}`, content, embedding: [group, index + 1, 1], metadata: { group, of: { index } } };
  });
  await store.write({ deleteWhere: { group: group - 1 }, upsert });
  process.send?.({ group });
}
