import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { Agent, getTextContent, InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";

// Without a key: embeddings that compare spelling, and a model that searches and names the page of the first result.
const embeddings = new FakeEmbeddings({ dimensions: 1024 });
const model = new ScriptedModel().respond(({ messages }) => {
  const last = messages.at(-1);
  const text = getTextContent(last?.content ?? null);
  if (last?.role === "user") return { toolCalls: [{ name: "search_docs", arguments: { query: text } }] };
  const [, page, place = "at the beginning"] = /^\[1\] "([^"]+)"(?: \((.*)\))?$/m.exec(text) ?? [];
  return `See ${page}, ${place} [1].`;
});

const root = `${import.meta.dirname}/..`;
const pages = globSync(["README.md", "docs/*.md", "docs/guide/*.md", "packages/*/README.md"], { cwd: root });
const docs = new KnowledgeBase({
  name: "docs",
  vectorStore: new InMemoryVectorStore({ embeddings }),
  // Small pieces, for answers that are in a few lines.
  chunking: { size: 500 },
});
await docs.addDocuments(pages.map((id) => ({ id, content: readFileSync(`${root}/${id}`, "utf8") })));
const guide = new Agent({ name: "guide", model, instructions: "Name the page of the answer.", tools: [docs.asTool()] });

const listed = readFileSync(`${import.meta.dirname}/questions-about-docs.json`, "utf8");
for (const { question, page } of JSON.parse(listed) as { question: string; page: string }[]) {
  const { text } = await guide.run(question);
  console.log(`${question} ${text}`);
  assert.ok(text?.startsWith(`See ${page}, `));
}
await docs.close();
