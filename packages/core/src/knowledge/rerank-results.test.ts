import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import type { KnowledgeSearchResult } from "./join-results.ts";

import { KnowledgeBase } from "./knowledge-base.ts";
import { rerankResults } from "./rerank-results.ts";
import type { Rerank } from "./rerank-results.ts";

async function filled(rerank: Rerank | undefined, count = 30) {
  const embeddings = new FakeEmbeddings();
  const knowledge = new KnowledgeBase({ name: "kb", vectorStore: new InMemoryVectorStore(), embeddings, rerank });
  const documents = Array.from({ length: count }, (_, index) => ({ id: `d${index}`, content: `text ${index}` }));
  await knowledge.addDocuments(documents);
  return knowledge;
}

const idsOf = (results: readonly KnowledgeSearchResult[]) => results.map(({ document }) => document.id);
const reversed: Rerank = (_, results) => results.toReversed();

describe("rerank", () => {
  it("may change the array that it is given, which is its own", async () => {
    const given: KnowledgeSearchResult[] = ["a", "é", "c"].map((id) => ({
      document: { id, content: id, metadata: {} },
      score: 0.5,
    }));
    const emptying: Rerank = (_, results) => {
      const own = results as KnowledgeSearchResult[];
      return own.splice(0).toReversed();
    };
    const options = { results: given, topK: 2, signal: undefined };
    expect(idsOf(await rerankResults(emptying, "q", options))).toEqual(["c", "é"]);
    expect(idsOf(given)).toEqual(["a", "é", "c"]);
  });

  it("orders four times as many results as are wanted, and the first ones are kept [knowledge.rerank]", async () => {
    const calls: unknown[] = [];
    const { signal } = new AbortController();
    const knowledge = await filled((query, results, options) => {
      calls.push([query, results.length, options]);
      return results.toReversed();
    });
    const all = idsOf(await (await filled(undefined)).search("text 1", { topK: 30 }));

    expect(idsOf(await knowledge.search("text 1", { topK: 3, signal }))).toEqual(all.slice(9, 12).toReversed());
    expect(idsOf(await knowledge.search("text 1"))).toEqual(all.slice(-10).toReversed());
    expect(calls).toEqual([
      ["text 1", 12, { topK: 3, signal }],
      ["text 1", 30, { topK: 10, signal: undefined }],
    ]);
  });

  it("gets no more results than a search may find", async () => {
    const knowledge = await filled(reversed);

    expect(await knowledge.search("text", { topK: 10_000 })).toHaveLength(30);
  });

  it("gives its own scores, may leave results out, and cannot change documents", async () => {
    const knowledge = await filled(async (_, results) => {
      return results.slice(3, 5).map(({ document }) => ({ document: { ...document, content: "forged" }, score: 7 }));
    });
    const results = await knowledge.search("text 1");

    expect(results.map(({ score }) => score)).toEqual([7, 7]);
    expect(results[0]?.document.content).toMatch(/^text \d+$/);
  });

  it("orders what the tool finds, and nothing that is found by a vector [knowledge.rerank]", async () => {
    const knowledge = await filled(reversed);
    const vector = await new FakeEmbeddings().embed("text 1");
    const plain = await (await filled(undefined)).search("text 1", { topK: 5, mode: "vector" });

    expect(await knowledge.search(vector, { topK: 5 })).toEqual(plain);
    expect(await knowledge.search("text 1", { topK: 5, mode: "vector" })).not.toEqual(plain);
  });

  it("is not called without results", async () => {
    const knowledge = await filled(() => Promise.reject(new Error("called")), 0);

    expect(await knowledge.search("text")).toEqual([]);
  });

  const foreign = { document: { id: "other", content: "x" }, score: 1 };
  it.each<[string, (results: readonly KnowledgeSearchResult[]) => unknown, string]>([
    ["nothing", () => undefined, "must return an array of results"],
    [
      "another document",
      (results) => [results[0], foreign],
      "must return only results that it was given, each once, but number 1 is not one",
    ],
    ["a result twice", ([first]) => [first, first], "each once, but number 1 is not one"],
    ["no results", () => [null], "number 0 is not one"],
    ["documents", (results) => results.map(({ document }) => document), "number 0 is not one"],
    ["a wrong score", ([first]) => [{ ...first, score: NaN }], "must return finite scores, but number 0 has none"],
    ["a bad result beyond topK", (results) => [...results, foreign], "but number 30 is not one"],
  ])("may not return %s [knowledge.rerank]", async (_, answer, message) => {
    const knowledge = await filled(((_query, results) => answer(results)) as Rerank);

    await expect(knowledge.search("text", { topK: 10 })).rejects.toMatchObject({
      code: "invalid_value",
      message: expect.stringContaining(
        `The function \`rerank\` ${message.startsWith("must") ? message : "must return only results that it was given"}`,
      ),
    });
    await expect(knowledge.search("text")).rejects.toMatchObject({ message: expect.stringContaining(message) });
  });

  it("fails the search with its own error, and tells nothing of an unknown one", async () => {
    const known = await filled(() => Promise.reject(new TroupeError("rate_limited", "Too fast.")));
    const unknown = await filled(() => {
      throw new Error("sk-secret");
    });

    await expect(known.search("text")).rejects.toMatchObject({ code: "rate_limited", message: "Too fast." });
    await expect(unknown.search("text")).rejects.toMatchObject({
      code: "internal",
      message: expect.not.stringContaining("secret"),
    });
  });

  it("is left when the search is aborted, and hears of it", async () => {
    const controller = new AbortController();
    let started: () => void = () => {};
    const isStarted = new Promise<void>((resolve) => (started = resolve));
    let heard: AbortSignal | undefined;
    const knowledge = await filled(async (_query, _results, { signal }) => {
      heard = signal;
      started();
      return await new Promise<never>(() => {});
    });
    const search = knowledge.search("text", { signal: controller.signal });
    await isStarted;
    controller.abort();

    await expect(search).rejects.toMatchObject({ code: "cancelled" });
    expect(heard?.aborted).toBe(true);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });
});
