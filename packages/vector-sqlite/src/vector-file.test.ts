import { expect, it, onTestFinished } from "vitest";
import { useVectorFiles } from "../test/stores.ts";
import { VectorFile } from "./vector-file.ts";

const newVectorFile = useVectorFiles();
const most = 4;

/** Begins a search that ends when it is told to. */
function begin(file: VectorFile, running: Set<object>) {
  const end = Promise.withResolvers<void>();
  const search = {};
  const ended = file
    .search(async () => {
      running.add(search);
      await end.promise.finally(() => running.delete(search));
    })
    .catch(() => {});
  return { ended, end: () => end.resolve(), fail: () => end.reject(new Error("It failed.")) };
}

it("four searches run at a time, in each of three rounds, also after some that failed", async () => {
  const settings = { durability: "normal", busyTimeoutMs: 5000, table: "troupe_vectors", warn: () => {} } as const;
  const file = await VectorFile.open(newVectorFile(), settings);
  onTestFinished(() => file.close());
  const running = new Set<object>();
  const turn = async () => {
    for (let count = 0; count < 20; count++) await new Promise(setImmediate);
  };
  for (let round = 0; round < 3; round++) {
    for (const count of [most - 1, most, most + 1, 3 * most]) {
      const searches = Array.from({ length: count }, () => begin(file, running));
      for (const [index, { ended, end, fail }] of searches.entries()) {
        await turn();
        expect(running.size).toBe(Math.min(most, count - index));
        (index % 2 === 0 ? end : fail)();
        await ended;
      }
      expect(running.size).toBe(0);
    }
  }
});
