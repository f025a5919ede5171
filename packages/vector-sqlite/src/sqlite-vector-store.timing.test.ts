import { seededRandom } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished } from "vitest";
import { useVectorFiles } from "../test/stores.ts";
import { SqliteVectorStore } from "./sqlite-vector-store.ts";

const newVectorFile = useVectorFiles();

const dimensions = 1536;
const random = seededRandom(1);
const newVector = () => Array.from({ length: dimensions }, () => random() - 0.5);

async function fill(count: number): Promise<SqliteVectorStore> {
  const store = new SqliteVectorStore(newVectorFile(), { durability: "normal" });
  onTestFinished(async () => await store.close());
  for (let first = 0; first < count; first += 1000) {
    const upsert = Array.from({ length: 1000 }, (_, index) => {
      return { id: `d${first + index}`, content: "", embedding: newVector(), metadata: { part: index % 100 } };
    });
    await store.write({ upsert });
  }
  return store;
}

/** Returns how long work took, and the longest time between two turns of the event loop meanwhile. */
async function measure(work: () => Promise<unknown>): Promise<{ took: number; block: number }> {
  const began = performance.now();
  let [block, last, isDone] = [0, began, false];
  const tick = (): void => {
    block = Math.max(block, performance.now() - last);
    last = performance.now();
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  isDone = true;
  tick();
  return { took: performance.now() - began, block };
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

describe("SqliteVectorStore", () => {
  it("lets the process do other work during a search, and reads only what a filter keeps", async () => {
    const store = await fill(30_000);
    await store.search(newVector());
    const [blocks, parts]: [number[], number[]] = [[], []];
    for (let round = 0; round < 9; round++) {
      const all = await measure(async () => await store.search(newVector()));
      const part = await measure(async () => await store.search(newVector(), { filter: { part: 7 } }));
      blocks.push(all.block / all.took);
      parts.push(part.took / all.took);
    }

    expect(medianOf(blocks)).toBeLessThan(1 / 2);
    expect(medianOf(parts)).toBeLessThan(1 / 5);
  });
});
