import { seededRandom } from "@troupe-internal/fault-tools";
import { median } from "../statistics.ts";
import { vectorCandidates } from "./vector-candidates.ts";
import type { BenchDocument, VectorCandidate } from "./vector-candidates.ts";

/** A measurement to make: a candidate, the number and length of its vectors, and the number of searches. */
export type VectorTrial = { name: string; count: number; dimensions: number; searches: number };

/** Costs of a candidate: milliseconds, but bytes for a vector. */
export type VectorCost = {
  insertMs: number;
  searchMs: number;
  /** Of a search among a hundredth. */
  partMs: number | undefined;
  /** The longest time within a search in which the process did nothing else. */
  blockMs: number;
  bytes: number;
};

const batch = 1000;
const random = seededRandom(1);

/** Fills a candidate and searches in it. Needs a process of its own, because it tells memory by what the process has. */
export async function measureVectors(trial: VectorTrial): Promise<VectorCost> {
  const open = vectorCandidates[trial.name];
  if (open === undefined) throw new Error(`There is no candidate ${trial.name}.`);
  // The memory in which the documents are made is there before and after.
  for (let round = 0; round < 3; round++) newDocuments(round * batch, { ...trial, count: batch });
  const before = usedMemory();
  const candidate = open(trial);
  const insertMs = (await fill(candidate, trial)) / trial.count;
  const bytes = (candidate.bytes?.() ?? usedMemory() - before) / trial.count;
  await candidate.search(newVector(trial.dimensions));
  const searches = await measureSearches(candidate, trial);
  await candidate.close();
  return { insertMs, bytes, ...searches };
}

/** Returns the milliseconds of all inserts. */
async function fill(candidate: VectorCandidate, { count, dimensions }: VectorTrial): Promise<number> {
  let took = 0;
  for (let first = 0; first < count; first += batch) {
    const documents = newDocuments(first, { count: Math.min(batch, count - first), dimensions });
    took += await timeOf(async () => await candidate.insert(documents));
  }
  return took;
}

function newDocuments(
  first: number,
  { count, dimensions }: Pick<VectorTrial, "count" | "dimensions">,
): BenchDocument[] {
  return Array.from({ length: count }, (_, index) => newDocument(first + index, dimensions));
}

async function measureSearches(
  { search, searchPart }: VectorCandidate,
  { searches, dimensions }: VectorTrial,
): Promise<Pick<VectorCost, "searchMs" | "partMs" | "blockMs">> {
  const queries = Array.from({ length: searches }, () => newVector(dimensions));
  const [all, part, blocks]: [number[], number[], number[]] = [[], [], []];
  for (const query of queries) {
    all.push(await timeOf(async () => await search(query)));
    blocks.push(await longestBlock(async () => await search(query)));
    if (searchPart !== undefined) part.push(await timeOf(async () => await searchPart(query)));
  }
  return { searchMs: median(all), partMs: searchPart && median(part), blockMs: median(blocks) };
}

function newDocument(index: number, dimensions: number): BenchDocument {
  return { id: `d${index}`, content: "", embedding: newVector(dimensions), metadata: { part: index % 100 } };
}

function newVector(dimensions: number): number[] {
  return Array.from({ length: dimensions }, () => random() - 0.5);
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Returns the longest time between two turns of the event loop while work is done. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let [longest, last, isDone] = [0, performance.now(), false];
  const tick = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  isDone = true;
  tick();
  return longest;
}

function usedMemory(): number {
  globalThis.gc?.();
  // Of the system: memory that is reserved but was never written costs nothing.
  return process.memoryUsage().rss;
}

process.once("message", (trial: VectorTrial) => {
  void measureVectors(trial).then((cost) => process.send?.(cost, () => process.disconnect()));
});
