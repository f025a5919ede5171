import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, getTextContent, KnowledgeBase } from "@troupe/core";
import type { VectorStore } from "@troupe/core";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";

const root = join(import.meta.dirname, "../../../../..");

/** The number of dimensions of the vectors of `checkDocsKnowledge`. */
const dimensions = 1024;

/**
 * Stores this repository's documentation in a knowledge base over the store, in a collection of its own. Asserts that
 * an agent which searches it answers each of the listed questions with the right page. Repeats that after every page
 * was added again, and with a second knowledge base, which only has the store's vectors.
 */
export async function checkDocsKnowledge(store: VectorStore): Promise<void> {
  const files = globSync(["README.md", "docs/*.md", "docs/guide/*.md", "packages/*/README.md"], { cwd: root });
  const pages = files.map((id) => ({ id, content: readFileSync(join(root, id), "utf8") }));
  const first = docsIn(store);
  await first.addDocuments(pages);
  await checkAnswers(first);
  await first.addDocuments(pages);
  const second = docsIn(store);
  await checkAnswers(second);
  for (const page of pages) assert.equal((await second.get(page.id))?.content, page.content);
}

function docsIn(vectorStore: VectorStore): KnowledgeBase {
  const embeddings = new FakeEmbeddings({ dimensions });
  return new KnowledgeBase({ name: "docs", vectorStore, embeddings, chunking: { size: 500 }, ownsStore: false });
}

async function checkAnswers(docs: KnowledgeBase): Promise<void> {
  const listed = readFileSync(join(root, "examples/questions-about-docs.json"), "utf8");
  const questions = JSON.parse(listed) as { question: string; page: string }[];
  assert.equal(questions.length, 10);
  const agent = new Agent({ name: "guide", model: guide(), tools: [docs.asTool()] });
  for (const { question, page } of questions) {
    const { text } = await agent.run(question);
    assert.equal(text, page, `of the question ${JSON.stringify(question)}`);
  }
}

/** A model that searches for the question, and answers with the page of the first result. */
function guide(): ScriptedModel {
  return new ScriptedModel().respond(({ messages }) => {
    const last = messages.at(-1);
    const text = getTextContent(last?.content ?? null);
    if (last?.role === "user") return { toolCalls: [{ name: "search_docs", arguments: { query: text } }] };
    return /^\[\d+\] "([^"]+)"/m.exec(text)?.[1] ?? "nothing";
  });
}
