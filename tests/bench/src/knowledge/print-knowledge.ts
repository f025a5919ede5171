import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "@troupe-internal/fault-tools";
import { InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import type { EmbeddingProvider, VectorStore } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";
import { openaiEmbeddings } from "@troupe/providers-openai";
import { SqliteVectorStore } from "@troupe/vector-sqlite";
import { toLines } from "../table.ts";

const guide = join(import.meta.dirname, "../../../../docs/guide");
const modes = ["text", "vector", "hybrid"] as const;

type Question = { readonly page: string; readonly question: string };

/** Returns the questions in two halves, drawn by a seed. The second half is for the last measurement alone. */
function readHalves(): { tuned: Question[]; aside: Question[] } {
  const all = Object.entries(readQuestions()).flatMap(([page, questions]) =>
    questions.map((question) => ({ page, question })),
  );
  const random = seededRandom(47);
  const drawn = all.map((each) => ({ each, key: random() })).toSorted((one, other) => one.key - other.key);
  const shuffled = drawn.map(({ each }) => each);
  const half = Math.floor(shuffled.length / 2);
  return { tuned: shuffled.slice(0, half), aside: shuffled.slice(half) };
}

/**
 * Measures how well the guide's pages are found by questions (nDCG@10, in points), for each store and mode. `url` is a
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
    const knowledge = new KnowledgeBase({ name: "guide", vectorStore, chunking: { size: 400 } });
    await fill(knowledge);
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

async function fill(knowledge: KnowledgeBase): Promise<void> {
  await knowledge.addDocuments(
    Object.keys(readQuestions()).map((id) => ({ id, content: readFileSync(join(guide, `${id}.md`), "utf8") })),
  );
}

/** Returns the questions by the page that answers them. */
function readQuestions(): Record<string, string[]> {
  return JSON.parse(readFileSync(join(import.meta.dirname, "questions.json"), "utf8")) as Record<string, string[]>;
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
