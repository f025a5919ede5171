import { describe, expect, it } from "vitest";
import { queryTerms } from "./text-terms.ts";

describe("queryTerms", () => {
  it.each([
    ["How do I run a durable run over HTTP?", ["run", "durable", "over", "http"]],
    ["What is it?", ["what", "is", "it"]],
    ["IT support", ["it", "support"]],
    ["Who wrote the WHO guidelines?", ["wrote", "who", "guidelines"]],
    ["how do I 配置", ["配 置"]],
    ["a b", ["b"]],
    ["A", ["a"]],
    ["", []],
  ])("takes from %j the words %j", (query, terms) => {
    expect(queryTerms(query)).toEqual(terms);
  });

  it("takes no more than 64 words, of which empty ones are none", () => {
    const words = Array.from({ length: 70 }, (_, index) => `the word${index}`);

    expect(queryTerms(words.join(" "))).toEqual(words.slice(0, 64).map((word) => word.slice(4)));
  });
});
