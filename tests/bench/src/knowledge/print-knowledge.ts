import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KnowledgeBase } from "@troupe/core";
import type { VectorStore } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";
import { openaiEmbeddings } from "@troupe/providers-openai";
import { toLines } from "../table.ts";
import { embedOnce } from "./embed-once.ts";
import { openStores } from "./open-stores.ts";
import { readHalves, readPages } from "./read-questions.ts";
import type { Question } from "./read-questions.ts";
import { weighAgain } from "./weigh-again.ts";

const modes = ["text", "vector", "hybrid"] as const;

/**
 * Settings of the measurement. `url` is a server of embeddings with OpenAI's API; without it, the embeddings compare
 * spelling only. `vectors` is a file that keeps its answers. `isLast` measures the half of the questions that was set
 * aside.
 */
type KnowledgeBench = {
  url: string | undefined;
  vectors: string | undefined;
  isLast: boolean;
};

/**
 * Measures how well pages of the documentation are found by questions (nDCG@10, in points), for each mode of the stores
 * in this process, and of those whose servers the environment names.
 */
export async function printKnowledge({ url, vectors, isLast }: KnowledgeBench): Promise<void> {
  const { tuned, aside } = readHalves();
  const questions = isLast ? aside : tuned;
  const embeddings =
    url === undefined
      ? new FakeEmbeddings({ dimensions: 1024 })
      : embedOnce(openaiEmbeddings({ baseURL: url, model: "e5", apiKey: "none", timeoutMs: 600_000 }), vectors);
  const folder = await mkdtemp(join(tmpdir(), "troupe-bench-"));
  const half = isLast ? "set aside" : "for tuning";
  console.log(`nDCG@10 of ${questions.length} questions ${half}`);
  try {
    const rows: string[][] = [];
    for (const [name, vectorStore] of Object.entries(openStores(folder, embeddings, process.env))) {
      rows.push([name, ...(await measureStore(vectorStore, questions)).map((points) => (100 * points).toFixed(1))]);
      console.log(rows.at(-1)?.join(" "));
      await vectorStore.close();
    }
    console.log(`\n${toLines([["", ...modes, "hybrid, reranked"], ...rows])}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the points of each mode, and at last those of a hybrid search whose results are reranked. */
async function measureStore(vectorStore: VectorStore, questions: readonly Question[]): Promise<number[]> {
  const settings = { name: "docs", vectorStore, chunking: { size: 400 }, ownsStore: false } as const;
  const knowledge = new KnowledgeBase(settings);
  await knowledge.addDocuments(readPages());
  const points: number[] = [];
  for (const mode of modes) points.push(await measure(knowledge, questions, mode));
  points.push(await measure(new KnowledgeBase({ ...settings, rerank: weighAgain }), questions, "hybrid"));
  await knowledge.clear();
  return points;
}

async function measure(
  knowledge: KnowledgeBase,
  questions: readonly Question[],
  mode: (typeof modes)[number],
): Promise<number> {
  let sum = 0;
  for (const { page, question } of questions) {
    const found = await knowledge.search(question, { mode, topK: 50 });
    const pages = [...new Set(found.map(({ document: { id, metadata } }) => pageOf(metadata) ?? id))];
    const rank = pages.slice(0, 10).indexOf(page);
    // A question has one relevant page, so the best possible gain is 1.
    if (rank >= 0) sum += 1 / Math.log2(rank + 2);
  }
  return sum / questions.length;
}

function pageOf(metadata: Record<string, unknown> = {}): string | undefined {
  const { documentId } = metadata;
  return typeof documentId === "string" ? documentId : undefined;
}
