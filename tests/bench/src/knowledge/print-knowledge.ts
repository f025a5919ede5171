import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import type { EmbeddingProvider, VectorStore } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";
import { openaiEmbeddings } from "@troupe/providers-openai";
import { SqliteVectorStore } from "@troupe/vector-sqlite";
import { toLines } from "../table.ts";
import { readHalves, readPages } from "./read-questions.ts";
import type { Question } from "./read-questions.ts";

const modes = ["text", "vector", "hybrid"] as const;

/**
 * Measures how well pages of the documentation are found by questions (nDCG@10, in points), for each store and mode. `url` is a
 * server of embeddings with OpenAI's API; without it, the embeddings compare spelling only. `isLast` measures the half
 * of the questions that was set aside.
 */
export async function printKnowledge({ url, isLast }: { url: string | undefined; isLast: boolean }): Promise<void> {
  const { tuned, aside } = readHalves();
  const questions = isLast ? aside : tuned;
  const embeddings =
    url === undefined
      ? new FakeEmbeddings({ dimensions: 1024 })
      : embedOnce(openaiEmbeddings({ baseURL: url, model: "e5", apiKey: "none", timeoutMs: 600_000 }));
  const folder = await mkdtemp(join(tmpdir(), "troupe-bench-"));
  const stores: Readonly<Record<string, VectorStore>> = {
    InMemoryVectorStore: new InMemoryVectorStore({ embeddings }),
    SqliteVectorStore: new SqliteVectorStore(join(folder, "docs.db"), { embeddings }),
  };
  const rows: string[][] = [];
  for (const [name, vectorStore] of Object.entries(stores)) {
    const knowledge = new KnowledgeBase({ name: "docs", vectorStore, chunking: { size: 400 } });
    await knowledge.addDocuments(readPages());
    const row: string[] = [];
    for (const mode of modes) row.push((100 * (await measure(knowledge, questions, mode))).toFixed(1));
    rows.push([name, ...row]);
    await knowledge.close();
  }
  await rm(folder, { recursive: true });
  const half = isLast ? "set aside" : "for tuning";
  console.log(`nDCG@10 of ${questions.length} questions ${half}\n${toLines([["", ...modes], ...rows])}`);
}

/** Embeds each text once, because every store and mode embeds the same texts, and a model on this machine is slow. */
function embedOnce(embeddings: EmbeddingProvider): EmbeddingProvider {
  const known = new Map<string, Promise<number[]>>();
  const embed = async (text: string): Promise<number[]> => {
    const vector = known.get(text) ?? embeddings.embed(text);
    known.set(text, vector);
    return await vector;
  };
  // One request at a time: small servers reset more connections.
  const embedBatch = async (texts: readonly string[]): Promise<number[][]> => {
    const vectors: number[][] = [];
    for (const text of texts) vectors.push(await embed(text));
    return vectors;
  };
  return { embed, embedBatch };
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
