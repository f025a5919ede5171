import { expect, it } from "vitest";
import { toStoredTerms, toWords } from "./stored-words.ts";

it("the words of a document are stems with their counts, of the headings above it too", () => {
  const metadata = { documentPlace: { headings: "Cafés" } };

  expect(toWords({ content: "It rained. Rain!", metadata })).toEqual({
    words: ["cafe", "it", "rain"],
    counts: [1, 1, 2],
    wordCount: 4,
  });
  expect(toWords({ content: "" })).toEqual({ words: [], counts: [], wordCount: 0 });
});

it("the words of a query have the forms of those of documents, each once", () => {
  const { words } = toWords({ content: `東京 ${"x".repeat(200)}` });

  expect(words).toEqual(expect.arrayContaining(toStoredTerms(["東 京", "X".repeat(150).toLowerCase()])));
  expect(toStoredTerms(["rain", "raining", "rains"])).toEqual(["rain"]);
});

it("a document has no more words than its first 100,000 characters", () => {
  expect(toWords({ content: "ab ".repeat(50_000) }).wordCount).toBeLessThanOrEqual(33_334);
});
