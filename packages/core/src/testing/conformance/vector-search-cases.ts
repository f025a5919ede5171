import { assert, rejectsWith } from "./assert.ts";
import type { VectorStore } from "../../knowledge/vector/vector-store.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { at, eastIds, fill } from "./vector-documents.ts";

/** Cases of `vectorStoreCases` for searches. */
export const vectorSearchCases = {
  "finds the nearest documents, best first, with their cosine similarity": async (store) => {
    await fill(store, at("north", [0, 5]), at("east", [1, 0]), at("west", [-3, 0]), at("north-east", [2, 2]));
    const found = await store.search([10, 0]);

    const expected = [1, Math.SQRT1_2, 0, -1];
    assert.deepEqual(
      found.map(({ document }) => document.id),
      ["east", "north-east", "north", "west"],
    );
    for (const [index, { score }] of found.entries()) assertNear(score, expected[index] ?? NaN);
  },
  "returns documents without their embeddings": async (store) => {
    await fill(store, at("a", [1, 0], { tag: "x" }), at("b", [0, 1]));

    assert.deepEqual(
      (await store.search([1, 0])).map(({ document }) => document),
      [
        { id: "a", content: "content of a", metadata: { tag: "x" } },
        { id: "b", content: "content of b" },
      ],
    );
  },
  "orders equal scores by the UTF-8 bytes of the id": async (store) => {
    const ids = ["b", "😀", "aa", "A", "é", "B", "\uffff", "a"];
    for (const [index, id] of ids.entries()) await store.upsert(at(id, [1, 2], { tag: "x", half: index % 2 }));
    const ordered = ["A", "B", "a", "aa", "b", "é", "\uffff", "😀"];
    const ofHalf = (half: number) => ordered.filter((id) => ids.indexOf(id) % 2 === half);

    for (let topK = 1; topK <= ordered.length; topK++) {
      for (const half of [0, 1])
        assert.deepEqual(await eastIds(store, { topK, filter: { half } }), ofHalf(half).slice(0, topK));
      assert.deepEqual(await eastIds(store, { topK }), ordered.slice(0, topK));
      assert.deepEqual(await eastIds(store, { topK, filter: { tag: "x" } }), ordered.slice(0, topK));
    }
  },
  "returns ten results by default": async (store) => {
    for (let index = 0; index < 12; index++) await store.upsert(at(`d${index}`, [1, index]));

    assert.equal((await eastIds(store)).length, 10);
    assert.deepEqual(await eastIds(store, { topK: 2 }), ["d0", "d1"]);
    assert.equal((await eastIds(store, { topK: 10_000 })).length, 12);
  },
  "leaves out results below minScore": async (store) => {
    await fill(store, at("east", [1, 0]), at("north-east", [1, 1]), at("north", [0, 1]), at("west", [-1, 0]));

    assert.deepEqual(await eastIds(store, { minScore: 0.7 }), ["east", "north-east"]);
    assert.deepEqual(await eastIds(store, { minScore: 0.71 }), ["east"]);
    assert.deepEqual(await eastIds(store, { minScore: 1.1 }), []);
    assert.deepEqual(await eastIds(store, { minScore: -0.5 }), ["east", "north-east", "north"]);
  },
  "scores vectors of any length within -1 and 1": async (store) => {
    await fill(store, at("huge", [1e30, 1e30]), at("tiny", [1e-30, 1e-30]), at("less", [-1e-20, -1e-20]));

    for (const scale of [1, 1e25, 1e-25]) {
      for (const { document, score } of await store.search([scale, scale])) {
        assert.ok(Math.abs(score) <= 1);
        assertNear(score, document.id === "less" ? -1 : 1);
      }
    }
  },
  "finds nothing in an empty store": async (store) => {
    assert.deepEqual(await store.search([1, 0], { topK: 5, minScore: 0, filter: { a: 1 } }), []);
  },
  "refuses an invalid topK or minScore": async (store) => {
    for (const topK of [0, -1, 1.5, NaN, Infinity, 10_001])
      await rejectsWith(store.search([1, 0], { topK }), "invalid_value");
    for (const minScore of [NaN, Infinity]) await rejectsWith(store.search([1, 0], { minScore }), "invalid_value");
  },
  "keeps documents that have each value of the filter": async (store) => {
    const held = {
      text: "x",
      number: 1,
      yes: true,
      none: null,
      list: [1, { a: 1 }],
      record: { a: 1, b: [2] },
      "a.b": 1,
    };
    await fill(store, at("full", [1, 0], held), at("bare", [1, 0]), at("empty", [1, 0], {}));

    for (const [key, value] of Object.entries(held))
      assert.deepEqual(await eastIds(store, { filter: { [key]: value } }), ["full"], key);
    assert.deepEqual(await eastIds(store, { filter: { record: { b: [2], a: 1 } } }), ["full"]);
    assert.deepEqual(await eastIds(store, { filter: { text: "x", number: 1 } }), ["full"]);
    assert.deepEqual(await eastIds(store, { filter: {} }), ["bare", "empty", "full"]);
  },
  "compares values of a filter as JSON, each as a whole": async (store) => {
    await fill(
      store,
      at("a", [1, 0], { text: "x", n: 1, yes: true, none: null, list: [1, 2], record: { a: 1, b: 2 } }),
    );
    const misses = [{ text: "X" }, { n: "1" }, { yes: 1 }, { none: false }, { absent: null }, { list: [2, 1] }];
    const parts = [{ list: [1] }, { list: 1 }, { record: { a: 1 } }, { text: "x", n: 2 }];

    for (const filter of [...misses, ...parts])
      assert.deepEqual(await eastIds(store, { filter }), [], JSON.stringify(filter));
  },
  "filters before it applies topK": async (store) => {
    for (let index = 0; index < 30; index++) await store.upsert(at(`near${index}`, [1, 0], { tenant: "one" }));
    await store.upsert(at("far", [0, 1], { tenant: "two" }));

    assert.deepEqual(await eastIds(store, { topK: 3, filter: { tenant: "two" } }), ["far"]);
  },
  "finds a field within objects by names joined by dots": async (store) => {
    await fill(
      store,
      at("deep", [1, 0], { author: { name: "Ada", home: { city: "Oslo" } }, none: { held: null } }),
      at("flat", [1, 0], { "author.name": "Ada", author: "Ada" }),
      at("list", [1, 0], { author: [{ name: "Ada" }], none: {} }),
    );

    assert.deepEqual(await eastIds(store, { filter: { "author.name": "Ada" } }), ["deep", "flat"]);
    assert.deepEqual(await eastIds(store, { filter: { "author.home.city": "Oslo" } }), ["deep"]);
    assert.deepEqual(await eastIds(store, { filter: { "author.home": { city: "Oslo" } } }), ["deep"]);
    assert.deepEqual(await eastIds(store, { filter: { "none.held": null } }), ["deep"]);
    assert.deepEqual(await eastIds(store, { filter: { author: "Ada", "author.name": "Ada" } }), ["flat"]);
    for (const name of ["author.0.name", "author.0", "author.", ".author", "author..name", "author.name.length"])
      assert.deepEqual(await eastIds(store, { filter: { [name]: "Ada" } }), [], name);
  },
  "takes no name with a dot for a step of a path": async (store) => {
    await fill(store, at("a", [1, 0], { one: { "two.three": 1 }, "one.two": { three: 2 } }));

    assert.deepEqual(await eastIds(store, { filter: { "one.two.three": 1 } }), []);
    assert.deepEqual(await eastIds(store, { filter: { "one.two.three": 2 } }), []);
    assert.deepEqual(await eastIds(store, { filter: { "one.two": { three: 2 } } }), ["a"]);
  },
  "treats every name in a filter as data": async (store) => {
    await fill(store, at("one", [1, 0], { tenant: "one", a: { b: "one" } }), at("two", [1, 0], { tenant: "two" }));
    const names = [
      "x') OR '1'='1",
      "a.",
      "a'b",
      "]",
      '"',
      "\0",
      "tenant\0",
      "constructor",
      "%",
      "*",
      "a.$b",
      "\\",
      "?",
    ];

    for (const name of names) assert.deepEqual(await eastIds(store, { filter: { [name]: "one" } }), [], name);
    for (const text of ['{"__proto__":{"tenant":"one"}}', '{"__proto__":null}', '{"__proto__":{}}'])
      assert.deepEqual(await eastIds(store, { filter: JSON.parse(text) as Record<string, unknown> }), [], text);
  },
  "treats every value in a filter as data": async (store) => {
    await fill(store, at("one", [1, 0], { tenant: "one" }), at("two", [1, 0], { tenant: "two" }));
    const values = ["' OR 1=1 --", ["one", "two"], "%", "*", "o_e", "", {}, "one\0", "\\u0000", { in: ["one"] }];

    for (const tenant of values)
      assert.deepEqual(await eastIds(store, { filter: { tenant } }), [], JSON.stringify(tenant));
  },
  "refuses operators in a filter": async (store) => {
    await store.upsert(at("a", [1, 0], { tenant: "one" }));
    const filters = [
      { $where: "true" },
      { $or: [{ tenant: "one" }] },
      { "$.tenant": "one" },
      { tenant: { $ne: null } },
      { tenant: { $exists: true } },
      { tenant: [{ $gt: "" }] },
    ];

    for (const filter of filters) await rejectsWith(store.search([1, 0], { filter }), "invalid_value");
  },
  "refuses a filter with values that are not JSON": async (store) => {
    await store.upsert(at("a", [1, 0]));
    const inherited = Object.create({ tenant: "one" }) as Record<string, unknown>;

    for (const filter of [{ tenant: undefined }, inherited, { tenant: NaN }, { tenant: [undefined] }, [], "one"])
      await rejectsWith(store.search([1, 0], { filter: filter as Record<string, unknown> }), "invalid_value");
  },
} satisfies ConformanceCases<VectorStore>;

function assertNear(score: number, expected: number): void {
  assert.ok(Math.abs(score - expected) < 1e-5, `expected a score near ${expected}, got ${score}`);
}
