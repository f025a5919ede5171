import { Agent, InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { readPassages } from "../client/chat/passages.ts";

describe("the passages that the page shows", () => {
  it.each([false, true])("are those that a search tool gives a model, if it cites: %j", async (cite) => {
    const knowledge = new KnowledgeBase({
      name: "docs",
      vectorStore: new InMemoryVectorStore(),
      embeddings: new FakeEmbeddings(),
    });
    await knowledge.addDocuments([
      { id: "a", content: "Boots.\n\nAnd a [1] coat.", metadata: { title: 'The "list"\né' } },
      { id: "b", content: "Gloves." },
    ]);
    const model = new ScriptedModel({ toolCalls: [{ name: "search_docs", arguments: { query: "Boots?" } }] }, "Boots.");
    const agent = new Agent({ name: "guide", model, tools: [knowledge.asTool({ cite })] });
    const content = (await agent.run("What do I need?")).toolCalls[0]?.result;
    const passages = readPassages(content) ?? [];

    expect(passages.map(({ number }) => number)).toEqual(["1", "2"]);
    expect(passages.map(({ title }) => title).toSorted()).toEqual(['The "list"\né', "b"]);
    expect(passages.map(({ text }) => text).join()).toMatch(/Boots\.\n\nAnd a .* coat\./);
  });
});
