import { FakeEmbeddings } from "@troupe/core/testing";
import { collectionNameOf } from "../src/collection-registry.ts";
import { toPoint } from "../src/stored-point.ts";

/** Stores documents in Qdrant as a version without text indexes stored them. */
export async function fillOldCollection(
  url: string,
  { prefix, path }: { prefix: string; path: string },
  documents: readonly { id: string; content: string }[],
): Promise<void> {
  const place = `${url}/collections/${collectionNameOf(prefix, path)}`;
  const send = async (method: string, to: string, body: object): Promise<void> => {
    const headers = { "content-type": "application/json" };
    const { status } = await fetch(to, { method, headers, body: JSON.stringify(body) });
    if (status !== 200) throw new Error(`Qdrant answered ${status}.`);
  };
  const embeddings = new FakeEmbeddings();
  const vectors = await embeddings.embedBatch(documents.map(({ content }) => content));
  const points = documents.map((document, index) => {
    const vector = Float32Array.from(vectors[index] ?? []);
    return toPoint({ ...document, vector, length: Math.hypot(...vector) }, { takesWords: false });
  });
  const size = vectors[0]?.length;
  await send("PUT", place, { vectors: { size, distance: "Dot" }, metadata: { troupe: path } });
  await send("PUT", `${place}/index?wait=true`, { field_name: "terms", field_schema: "keyword" });
  await send("POST", `${place}/points/batch?wait=true`, { operations: [{ upsert: { points } }] });
}
