import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { TroupeError } from "../errors/troupe-error.ts";
import type { ErrorCode } from "../errors/troupe-error.ts";
import { InMemoryVectorStore } from "./in-memory-vector-store.ts";
import type { VectorDocument, VectorSearchOptions, VectorStore } from "./vector-store.ts";

type WholeStore = Required<VectorStore>;

const rejects = (promise: Promise<unknown>, code: ErrorCode, message = "") =>
  assert.rejects(promise, (error) => TroupeError.is(error) && error.code === code && error.message.includes(message));

const at = (id: string, embedding: number[], metadata?: Record<string, unknown>): VectorDocument => ({
  id,
  content: `content of ${id}`,
  embedding,
  ...(metadata && { metadata }),
});

async function fill(store: VectorStore, ...documents: VectorDocument[]): Promise<void> {
  for (const document of documents) await store.upsert(document);
}

async function idsOf(store: VectorStore, embedding: number[], options?: VectorSearchOptions): Promise<string[]> {
  return (await store.search(embedding, options)).map(({ document }) => document.id);
}

/** Stores here are made with `dimensions: 2`. */
const cases = {
  "finds the nearest, best first, with their cosines [vector.search]": async (store) => {
    await fill(store, at("east", [1, 0]), at("north", [0, 5]), at("north-east", [2, 2]), at("west", [-3, 0]));

    const found = await store.search([10, 0]);

    assert.deepEqual(
      found.map(({ document, score }) => [document.id, Math.round(score * 1e5)]),
      [
        ["east", 100_000],
        ["north-east", 70_711],
        ["north", 0],
        ["west", -100_000],
      ],
    );
  },
  "gives the documents of a search without their embeddings": async (store) => {
    await fill(store, at("a", [1, 0], { tag: "x" }), at("b", [0, 1]));

    assert.deepEqual(
      (await store.search([1, 0])).map(({ document }) => document),
      [
        { id: "a", content: "content of a", metadata: { tag: "x" } },
        { id: "b", content: "content of b" },
      ],
    );
  },
  "gives ten results unless told otherwise [vector.top-k]": async (store) => {
    for (let index = 0; index < 12; index++) await store.upsert(at(`d${index}`, [1, index]));

    assert.equal((await store.search([1, 0])).length, 10);
    assert.deepEqual(await idsOf(store, [1, 0], { topK: 2 }), ["d0", "d1"]);
    assert.equal((await store.search([1, 0], { topK: 10_000 })).length, 12);
  },
  "orders equal scores by id, by its bytes in UTF-8": async (store) => {
    const ordered = ["A", "B", "a", "aa", "b", "é", "\uffff", "😀"];
    for (const id of ["b", "😀", "aa", "A", "é", "B", "\uffff", "a"]) await store.upsert(at(id, [1, 2]));

    assert.deepEqual(await idsOf(store, [2, 4]), ordered);
    assert.deepEqual(await idsOf(store, [2, 4], { topK: 3 }), ordered.slice(0, 3));
  },
  "leaves out what scores below minScore [vector.min-score]": async (store) => {
    await fill(store, at("east", [1, 0]), at("north-east", [1, 1]), at("north", [0, 1]));

    assert.deepEqual(await idsOf(store, [1, 0], { minScore: 0.7 }), ["east", "north-east"]);
    assert.deepEqual(await idsOf(store, [1, 0], { minScore: 0.71 }), ["east"]);
    assert.deepEqual(await idsOf(store, [1, 0], { minScore: 1.1 }), []);
    assert.deepEqual(await idsOf(store, [1, 0], { minScore: -1 }), ["east", "north-east", "north"]);
  },
  "keeps what holds each value of the filter, as equal JSON [vector.filter]": async (store) => {
    const stored = {
      text: "x",
      number: 1,
      yes: true,
      none: null,
      list: [1, { a: 1 }],
      record: { a: 1, b: [2] },
      "a.b": 1,
    };
    await fill(store, at("full", [1, 0], stored), at("bare", [1, 0]), at("empty", [1, 0], {}));

    for (const [key, value] of Object.entries(stored)) {
      assert.deepEqual(await idsOf(store, [1, 0], { filter: { [key]: value } }), ["full"], key);
    }
    assert.deepEqual(await idsOf(store, [1, 0], { filter: { record: { b: [2], a: 1 } } }), ["full"]);
    assert.deepEqual(await idsOf(store, [1, 0], { filter: { text: "x", number: 1 } }), ["full"]);
    assert.deepEqual(await idsOf(store, [1, 0], { filter: {} }), ["bare", "empty", "full"]);
    const misses: Record<string, unknown>[] = [
      { text: "X" },
      { number: "1" },
      { yes: 1 },
      { none: false },
      { absent: null },
      { list: [{ a: 1 }, 1] },
      { list: [1] },
      { record: { a: 1 } },
      { text: "x", number: 2 },
    ];
    for (const filter of misses) assert.deepEqual(await idsOf(store, [1, 0], { filter }), [], JSON.stringify(filter));
  },
  "takes every name and value of a filter as data": async (store) => {
    await fill(store, at("one", [1, 0], { tenant: "one", a: { b: 1 } }), at("two", [1, 0], { tenant: "two" }));
    const names = [
      "x') OR '1'='1",
      "a.b",
      "a'b",
      "$.tenant",
      "$ne",
      "]",
      "\0",
      "tenant\0",
      "constructor",
      "toString",
      "%",
      "*",
    ];
    const values = ["' OR 1=1 --", { $ne: null }, { $gt: "" }, { $exists: true }, ["one", "two"], "%", "*", "o_e", ""];

    for (const name of names) assert.deepEqual(await idsOf(store, [1, 0], { filter: { [name]: "one" } }), [], name);
    for (const tenant of values) assert.deepEqual(await idsOf(store, [1, 0], { filter: { tenant } }), []);
    for (const text of ['{"__proto__":{"tenant":"one"}}', '{"__proto__":null}', '{"__proto__":{}}']) {
      const filter = JSON.parse(text) as Record<string, unknown>;
      assert.deepEqual(await idsOf(store, [1, 0], { filter }), [], text);
    }
    assert.equal(({} as { tenant?: string }).tenant, undefined);
  },
  "refuses a filter that lost a value, lest it find everything": async (store) => {
    const inherited = Object.create({ tenant: "one" }) as Record<string, unknown>;
    for (const filter of [{ tenant: undefined }, inherited, { tenant: NaN }, { tenant: [undefined] }]) {
      await rejects(store.search([1, 0], { filter }), "invalid_value", "filter");
    }
    for (const filter of [[], "tenant", null] as unknown as Record<string, unknown>[]) {
      await rejects(store.search([1, 0], { filter }), "invalid_value", "filter must be an object");
    }
  },
  "refuses a topK or minScore that means nothing": async (store) => {
    for (const topK of [0, -1, 1.5, NaN, Infinity, 10_001])
      await rejects(store.search([1, 0], { topK }), "invalid_value");
    for (const minScore of [NaN, Infinity]) await rejects(store.search([1, 0], { minScore }), "invalid_value");
  },
  "scores vectors of any length within -1 and 1": async (store) => {
    await fill(store, at("huge", [1e38, 1e38]), at("tiny", [1e-38, 1e-38]), at("less", [-1e-30, -1e-30]));

    for (const scale of [1, 1e37, 1e-37]) {
      const found = await store.search([scale, scale]);
      assert.deepEqual(
        found.map(({ document, score }) => [document.id, Math.round(score * 1e4) / 1e4]),
        found[0]?.document.id === "huge"
          ? [
              ["huge", 1],
              ["tiny", 1],
              ["less", -1],
            ]
          : [
              ["tiny", 1],
              ["huge", 1],
              ["less", -1],
            ],
      );
      for (const { score } of found) assert.ok(Math.abs(score) <= 1);
    }
  },
} satisfies Record<string, (store: WholeStore) => Promise<void>>;

describe("InMemoryVectorStore search", () => {
  it.each(Object.entries(cases))("%s", async (_title, check) => {
    await check(new InMemoryVectorStore({ dimensions: 2 }));
  });

  it.each(Object.entries(cases))("as a collection: %s", async (_title, check) => {
    await check(new InMemoryVectorStore({ dimensions: 2 }).collection("inner"));
  });
});
