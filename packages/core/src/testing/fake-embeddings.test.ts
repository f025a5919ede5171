import { describe, expect, it } from "vitest";
import { FakeEmbeddings } from "./fake-embeddings.ts";

const dot = (one: number[], other: number[]) => one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

describe("FakeEmbeddings", () => {
  it("returns one vector for each string, in their order [embedding.batch] [embedding.embed]", async () => {
    const embeddings = new FakeEmbeddings();
    const texts = ["Rain in Oslo", "Snow in Bergen", "Rain in Oslo"];
    const vectors = await embeddings.embedBatch(texts);

    expect(vectors).toHaveLength(3);
    for (const [index, text] of texts.entries()) expect(vectors[index]).toEqual(await embeddings.embed(text));
    expect(vectors[0]).not.toEqual(vectors[1]);
  });

  it("returns the same vector of length one for the same string", async () => {
    const [one, again] = await new FakeEmbeddings().embedBatch(["Rain in Oslo", "rain  in oslo"]);

    expect(one).toEqual(again);
    expect(Math.hypot(...(one ?? []))).toBeCloseTo(1, 10);
  });

  it("returns nearer vectors for strings that share words", async () => {
    const [query = [], near = [], far = []] = await new FakeEmbeddings().embedBatch([
      "What is the weather in Oslo?",
      "The weather in Oslo is rainy.",
      "Invoices are due after thirty days.",
    ]);

    expect(dot(query, near)).toBeGreaterThan(dot(query, far) + 0.3);
  });

  it.each(["", " ", "a", "🦊"])("returns a vector other than zero for %j", async (text) => {
    const vector = await new FakeEmbeddings({ dimensions: 8 }).embed(text);

    expect(vector).toHaveLength(8);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 10);
  });

  it("records strings and keys, and makes no call for an empty array", async () => {
    const embeddings = new FakeEmbeddings();
    await embeddings.embedBatch([]);
    await embeddings.embed("a", { apiKey: "k" });

    expect(embeddings.calls).toEqual([{ texts: ["a"], apiKey: "k" }]);
  });

  it("rejects when its signal has aborted", async () => {
    await expect(new FakeEmbeddings().embed("a", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});
