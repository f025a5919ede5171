import { describe, expect, it, vi } from "vitest";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import { KnowledgeBase } from "./knowledge-base.ts";

const named = (modelId: string) => Object.assign(new FakeEmbeddings(), { modelId });

/** Two knowledge bases over one store, each with embeddings of a model of its own. */
function over(store = new InMemoryVectorStore()) {
  const of = (modelId: string) =>
    new KnowledgeBase({ name: "kb", vectorStore: store, embeddings: named(modelId), ownsStore: false });
  return { store, first: of("one"), second: of("two") };
}

const mixed = { code: "invalid_config", message: expect.stringContaining("fake/one") as string };

describe("a knowledge base whose vectors are of another model", () => {
  it("refuses a search and an addition, and stores nothing", async () => {
    const { first, second } = over();
    await first.add({ id: "a", content: "It rains." });
    await expect(second.search("rain")).rejects.toMatchObject(mixed);
    await expect(second.add({ id: "b", content: "It snows." })).rejects.toMatchObject(mixed);
    expect(await first.get("b")).toBeNull();
  });

  it("takes the model of what is added after it was cleared, also by another knowledge base", async () => {
    const { first, second } = over();
    await first.add({ id: "a", content: "It rains." });
    await first.clear();
    await second.add({ id: "b", content: "It snows." });
    await expect(first.search("snow")).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("fake/two") as string,
    });
    expect(await second.search("snow")).toHaveLength(1);
  });
});

describe("a search of a knowledge base", () => {
  it("embeds its text once with the key and the signal of its call, and a vector not at all", async () => {
    const embeddings = new FakeEmbeddings();
    const knowledge = new KnowledgeBase({ name: "kb", vectorStore: new InMemoryVectorStore(), embeddings });
    await knowledge.add({ id: "a", content: "It rains." });
    embeddings.calls.length = 0;
    const embed = vi.spyOn(embeddings, "embed");
    const { signal } = new AbortController();
    const found = await knowledge.search("rain", { apiKey: "k", signal, topK: 1, mode: "vector" });
    expect(embed.mock.calls.map(([query, options]) => [query, options?.apiKey])).toEqual([["rain", "k"]]);
    expect(embed.mock.calls[0]?.[1]?.signal).toBe(signal);
    expect(await knowledge.search(await embeddings.embed("rain"), { topK: 1 })).toEqual(found);
    expect(embed).toHaveBeenCalledTimes(2);
    await knowledge.close();
  });

  it("a search of a knowledge base whose caller has left is cancelled, by text and by vector", async () => {
    const embeddings = new FakeEmbeddings();
    const knowledge = new KnowledgeBase({ name: "kb", vectorStore: new InMemoryVectorStore(), embeddings });
    await knowledge.add({ id: "a", content: "It rains." });
    const signal = AbortSignal.abort();
    for (const mode of ["hybrid", "vector", "text", undefined] as const)
      await expect(knowledge.search("rain", { signal, mode })).rejects.toMatchObject({ code: "cancelled" });
    await expect(knowledge.search(await embeddings.embed("rain"), { signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    await knowledge.close();
  });
});

it("a store in memory is searched by words and by meaning, unless a score is asked for", async () => {
  const knowledge = new KnowledgeBase({
    name: "kb",
    vectorStore: new InMemoryVectorStore({ embeddings: new FakeEmbeddings() }),
  });
  const documents = Array.from({ length: 80 }, (_, index) => ({ id: `d${index}`, content: `text number ${index}` }));
  await knowledge.addDocuments([...documents, { id: "exact", content: "maxToolRoundtrips among many other words" }]);

  const found = await knowledge.search("the option maxToolRoundtrips", { topK: 5 });
  expect(found.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
  expect(found.map(({ document }) => document.id)).toContain("exact");
  expect(await knowledge.search("maxToolRoundtrips", { mode: "text" })).toMatchObject([
    { document: { id: "exact" }, score: null, rank: 1 },
  ]);
  const scored = await knowledge.search("maxToolRoundtrips", { minScore: -1 });
  expect(scored.every(({ rank, score }) => rank === undefined && score !== null)).toBe(true);
  await knowledge.close();
});

it("a document that is read, deleted or added once the knowledge base is closed is refused, by its name", async () => {
  const { store, first } = over();
  await first.add({ id: "a", content: "It rains." });
  await first.close();
  await first.close();
  const closed = { code: "storage_unavailable", message: 'The knowledge base "kb" has been closed.' };
  await expect(first.get("a")).rejects.toMatchObject(closed);
  await expect(first.delete("a")).rejects.toMatchObject(closed);
  await expect(first.add({ id: "b", content: "" })).rejects.toMatchObject(closed);
  await expect(first.addDocuments([])).rejects.toMatchObject(closed);
  await expect(first.search("rain")).rejects.toMatchObject(closed);
  await expect(first.initialize()).rejects.toMatchObject(closed);
  await expect(store.collection("kb").get("a")).resolves.toMatchObject({ id: "a" });
});
