import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, it } from "vitest";
import { InMemoryVectorStore } from "./in-memory-vector-store.ts";
import type { VectorDocument, VectorSearchOptions, VectorSearchResult, VectorStore } from "./vector-store.ts";

type Given = VectorDocument & { embedding: number[] };

/** The plainest thing that keeps the promises: a map, and at every search all of it, scored and sorted. */
class Model {
  readonly documents = new Map<string, Given>();

  /** The scores of all documents that a search may find. */
  scores(embedding: number[], { minScore = -Infinity, filter = {} }: VectorSearchOptions): Map<string, number> {
    const fitting = [...this.documents.values()].filter(({ metadata = {} }) =>
      Object.entries(filter).every(([key, value]) => isDeepStrictEqual(metadata[key], value)),
    );
    const scored = fitting.map((document): [string, number] => [document.id, cosine(embedding, document.embedding)]);
    return new Map(scored.filter(([, score]) => score >= minScore));
  }
}

function cosine(one: number[], other: number[]): number {
  const dot = (left: number[], right: number[]) =>
    left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}

type Step = (store: VectorStore, model: Model) => Promise<void>;

const dimensions = 3;
const id = fc.constantFrom("a", "b", "c", "d", "A", "😀", "\uffff", "__proto__");
// Few small numbers make many equal scores.
const embedding = fc
  .array(fc.integer({ min: -2, max: 2 }), { minLength: dimensions, maxLength: dimensions })
  .filter((vector) => vector.some((value) => value !== 0));
const metadata = fc.record(
  { n: fc.nat({ max: 1 }), list: fc.constantFrom([1], [2]) },
  { requiredKeys: [], noNullPrototype: true },
);
const options = fc.record(
  { topK: fc.integer({ min: 1, max: 6 }), minScore: fc.constantFrom(-0.45, 0.01, 0.65), filter: metadata },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<VectorSearchOptions>;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({ id, content: fc.string({ maxLength: 3 }), embedding, metadata }, { noNullPrototype: true })
      .map(upserted),
  },
  { weight: 3, arbitrary: fc.tuple(embedding, options).map(([query, narrow]) => searched(query, narrow)) },
  { weight: 2, arbitrary: id.map(gotAndDeleted) },
  { weight: 1, arbitrary: fc.constant(cleared) },
);

function upserted(document: Given): Step {
  return async (store, model) => {
    await store.upsert(document);
    model.documents.set(document.id, document);
  };
}

function searched(query: number[], narrow: VectorSearchOptions): Step {
  return async (store, model) => {
    const found = await store.search(query, narrow);
    const scores = model.scores(query, narrow);
    const best = [...scores.values()].toSorted((one, other) => other - one).slice(0, narrow.topK ?? 10);
    assert.equal(found.length, best.length);
    for (const [index, { document, score }] of found.entries()) {
      assert.ok(Math.abs(score - (scores.get(document.id) ?? NaN)) < 1e-5);
      assert.ok(Math.abs(score - (best[index] ?? NaN)) < 1e-5);
      const before = found[index - 1];
      if (before !== undefined) assert.ok(isInOrder(before, { document, score }));
    }
  };
}

function isInOrder(before: VectorSearchResult, after: VectorSearchResult): boolean {
  if (before.score !== after.score) return before.score > after.score;
  return Buffer.compare(Buffer.from(before.document.id), Buffer.from(after.document.id)) < 0;
}

function gotAndDeleted(one: string): Step {
  return async (store, model) => {
    assert.deepEqual(await store.get(one), model.documents.get(one) ?? null);
    await store.delete(one);
    model.documents.delete(one);
  };
}

async function cleared(store: VectorStore, model: Model): Promise<void> {
  await store.clear();
  model.documents.clear();
}

describe("InMemoryVectorStore", () => {
  it("behaves like a scored and sorted map, whatever the order of calls", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 50, size: "max" }), async (steps) => {
        const store = new InMemoryVectorStore({ dimensions });
        const model = new Model();
        for (const run of steps) await run(store, model);
      }),
      { numRuns: 300 },
    );
  });
});
