import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { toLines } from "../table.ts";
import type { VectorCost, VectorTrial } from "./measure-vectors.ts";

const names = ["plain Float32 loop", "LangChain's MemoryVectorStore", "InMemoryVectorStore", "SqliteVectorStore"];
const dimensions = 1536;

/** Measures each vector store at each number of vectors, one process after the other, and prints a table. */
export async function printVectors(counts: readonly number[], searches: number): Promise<void> {
  for (const count of counts) {
    const rows: string[][] = [];
    for (const name of names) rows.push(toRow(name, await measureApart({ name, count, dimensions, searches })));
    const titles = ["ms", "search", "among 1 %", "longest block", "insert", "bytes a vector"];
    console.log(`${count} vectors of ${dimensions} numbers\n${toLines([titles, ...rows])}\n`);
  }
}

function toRow(name: string, { searchMs, partMs, blockMs, insertMs, bytes }: VectorCost): string[] {
  const [search, part, block] = [searchMs, partMs, blockMs].map((ms) => (ms === undefined ? "" : ms.toFixed(1)));
  return [name, search ?? "", part ?? "", block ?? "", insertMs.toFixed(3), bytes.toFixed(0)];
}

async function measureApart(trial: VectorTrial): Promise<VectorCost> {
  const child = fork(fileURLToPath(new URL("measure-vectors.ts", import.meta.url)), {
    execArgv: ["--conditions=@troupe/source", "--no-warnings", "--expose-gc", "--max-old-space-size=8192"],
  });
  const ended = once(child, "exit").then(() => {
    throw new Error(`The process that measures ${trial.name} ended.`);
  });
  child.send(trial);
  const [cost] = (await Promise.race([once(child, "message"), ended])) as [VectorCost];
  await ended.catch(() => {});
  return cost;
}
