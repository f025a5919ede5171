import { describe, expect, inject, it } from "vitest";
import { atEachDeath } from "../sessions/storage/test/each-death.ts";
import type { VectorDocument, VectorStore } from "./vector/vector-store.ts";
import { long, openKnowledge, short } from "./test/long-documents.ts";
import { plainStore, writingStore } from "./test/plain-store.ts";

const isDeep = inject("trials") === "many";
const seconds = isDeep ? "near" : "none";

const stores: [offer: string, isWhole: boolean, create: () => VectorStore][] = [
  ["the six methods", false, () => plainStore()],
  ["write", true, () => writingStore()],
];

const versions: [what: string, before: VectorDocument | undefined, after: VectorDocument][] = [
  ["a long document that is new", undefined, long("a", 10)],
  ["a long document in place of a longer one", long("a", 20), long("a", 10, "The office")],
  ["a long document in place of a shorter one", long("a", 8), long("a", 20, "The office")],
  ["a long document in place of a short one", short("a"), long("a", 10)],
  ["a short document in place of a long one", long("a", 10), short("a")],
];

/** Checks that a search finds the texts of one document, all of them, and that they are what is read. */
async function expectWhole(store: VectorStore, wanted: readonly (VectorDocument | undefined)[]): Promise<void> {
  const knowledge = openKnowledge(store);
  const found = (await knowledge.get("a")) ?? undefined;
  expect(wanted.map((document) => document?.content)).toContain(found?.content);
  expect((await openKnowledge(store).get("b"))?.content).toBe(long("b", 8).content);
  const ids = (await knowledge.idsOf()).filter((id) => id.startsWith("a"));
  const other = openKnowledge(plainStore());
  if (found !== undefined) await other.add({ id: "a", content: found.content });
  expect(ids).toEqual(await other.idsOf());
}

describe.each(stores)("a document and a crash at any call of its store with %s", (_offer, isWhole, create) => {
  async function seeded(before: VectorDocument | undefined): Promise<VectorStore> {
    const store = create();
    await openKnowledge(store).add(long("b", 8));
    if (before !== undefined) await openKnowledge(store).add(before);
    return store;
  }

  it.each(versions)("is whole once %s is added again [knowledge.crash]", async (_what, before, after) => {
    for (const isBatch of isDeep ? [false, true] : [true]) {
      await atEachDeath(
        {
          create: async () => await seeded(before),
          act: async (store) => {
            const knowledge = openKnowledge(store);
            await (isBatch ? knowledge.addDocuments([after]) : knowledge.add(after));
          },
          left: async (store) => await (isWhole ? expectWhole(store, [before, after]) : undefined),
          done: async (store) => await expectWhole(store, [after]),
        },
        seconds,
      );
    }
  });

  it.each([
    ["long", long("a", 10)],
    ["short", short("a")],
  ])("is gone once the deletion of a %s one is repeated [knowledge.crash]", async (_what, before) => {
    await atEachDeath(
      {
        create: async () => await seeded(before),
        act: async (store) => await openKnowledge(store).delete("a"),
        left: async (store) => await (isWhole ? expectWhole(store, [before, undefined]) : undefined),
        done: async (store) => await expectWhole(store, [undefined]),
      },
      seconds,
    );
  });
});
