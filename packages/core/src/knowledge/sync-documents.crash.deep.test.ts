import { describe, expect, inject, it } from "vitest";
import { atEachDeath } from "../sessions/storage/test/each-death.ts";
import { sixMethods } from "./test/plain-store.ts";
import { folder, idsOf, long, open, small } from "./test/synced.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import type { VectorStore } from "./vector/vector-store.ts";

/** The share of the calls at which the process dies. */
const oneIn = { few: 7, many: 1 }[inject("trials")];

describe("A synchronisation that dies at any call of its store", () => {
  const listing = (): VectorStore => bound(new InMemoryVectorStore());
  /** A store that changes one record at a time, as some stores of third parties do. */
  const listingOnly = (): VectorStore => {
    const store = listing();
    delete store.write;
    return store;
  };
  const bound = (whole: InMemoryVectorStore): VectorStore => ({
    ...sixMethods(whole),
    list: async (options) => await whole.list(options),
    initialize: async () => await whole.initialize(),
    write: async (change) => await whole.write(change),
  });
  const before = { a: "A", b: long, c: "C" };
  const after = { a: `${long} more`, b: "B", d: "D", e: long };

  it.each<[string, boolean, () => VectorStore]>([
    ["write", true, listing],
    ["no write", false, listingOnly],
  ])("is continued by the next with a store with %s", async (_offer, isWhole, create) => {
    const contents = new Set<string | undefined>([undefined, ...Object.values(before), ...Object.values(after)]);
    const check = async (store: VectorStore) => {
      const { knowledge } = open(store, small);
      for (const id of ["a", "b", "c", "d", "e"]) expect(contents).toContain((await knowledge.get(id))?.content);
    };
    await atEachDeath(
      {
        create: async () => {
          const store = create();
          await open(store, small).knowledge.sync(folder(before).documents);
          return store;
        },
        act: async (store) =>
          void (await open(store, small).knowledge.sync(folder(after).documents, { concurrency: 1 })),
        // Without `write`, a document may be half stored until the next synchronisation.
        left: async (store) => await (isWhole ? check(store) : undefined),
        done: async (store) => {
          const base = open(store, small);
          for (const [id, content] of Object.entries(after))
            expect((await base.knowledge.get(id))?.content).toBe(content);
          expect(await base.knowledge.sync(folder(after).documents)).toMatchObject({ unchanged: 4, stored: 0 });
          expect(await idsOf(base)).toEqual(["a", "b", "d", "e"]);
        },
      },
      "none",
      oneIn,
    );
  });
});
