import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { installApart, silent } from "../outside/install-apart.ts";
import type { Installation } from "../outside/install-apart.ts";

const peers: Installation = {
  name: "documents-peers-1",
  packages: [
    "@langchain/classic@1.0.50",
    "@langchain/core@1.4.0",
    "@langchain/textsplitters@1.0.2",
    "llamaindex@0.12.1",
  ],
};

/** Memory of a process in megabytes, beside that before the first document. */
type Memory = { readonly heapMb: number; readonly rssMb: number; readonly mostMb: number };

/**
 * The costs of a product, in milliseconds of processor time: for storing a thousand documents, and for a search among
 * all, among a hundredth, and by vectors and words together. `stored` is the memory after storing, `searched` that at the
 * end.
 */
export type DocumentCosts = {
  readonly version: string;
  readonly addMs: number;
  readonly firstMs: number;
  readonly searchMs: number;
  readonly partMs: number;
  readonly indexingMs?: number;
  readonly bothMs?: number;
  readonly stored: Memory;
  readonly searched: Memory;
};

type Answer = DocumentCosts & { readonly results: string[][]; readonly partResults: string[][] };

/** The size of a measurement: rounds, documents, and searches of each kind. */
export type DocumentTrial = { readonly rounds: number; readonly count: number; readonly searches: number };

/**
 * Measures knowledge bases in memory: ours, and those of other products with equal documents and embeddings. Each round
 * starts a process for each product, and throws an error unless all of them find the same documents. Returns the costs
 * of each round by product.
 */
export async function measureDocuments(trial: DocumentTrial): Promise<Readonly<Record<string, DocumentCosts[]>>> {
  const own = join(import.meta.dirname, "__fixtures__");
  const programs = installApart(peers, own);
  const files = {
    Troupe: join(own, "troupe.mjs"),
    LangChain: join(programs, "langchain.mjs"),
    LlamaIndex: join(programs, "llamaindex.mjs"),
  };
  const costs: Record<string, DocumentCosts[]> = {};
  for (let round = 0; round < trial.rounds; round++) {
    let first: Answer | undefined;
    for (const [name, file] of Object.entries(files)) {
      const answer = await measure(file, trial);
      first ??= answer;
      checkEqual(name, first, answer);
      (costs[name] ??= []).push(answer);
    }
  }
  return costs;
}

function checkEqual(name: string, expected: Answer, { results, partResults }: Answer): void {
  const [found, wanted] = [
    [...results, ...partResults],
    [...expected.results, ...expected.partResults],
  ];
  const different = wanted.filter((texts, index) => texts.join() !== found[index]?.join());
  // Two products may round numbers differently, so that documents of equal scores change places.
  if (different.length > wanted.length / 20)
    throw new Error(`${name} found other documents in ${different.length} of ${wanted.length} searches.`);
}

async function measure(file: string, { count, searches }: DocumentTrial): Promise<Answer> {
  const child = fork(file, [], {
    execArgv: ["--conditions=@troupe/source", "--no-warnings", "--max-old-space-size=8192"],
    env: { ...process.env, ...silent },
  });
  const ended = once(child, "exit").then(() => {
    throw new Error(`The process of ${file} ended.`);
  });
  child.send({ count, searches });
  const [answer] = (await Promise.race([once(child, "message"), ended])) as [Answer | { failure: string }];
  await ended.catch(() => {});
  if ("failure" in answer) throw new Error(answer.failure);
  return answer;
}
