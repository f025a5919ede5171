import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { QdrantClient } from "@qdrant/js-client-rest";
import { TroupeError } from "@troupe/core";
import type { VectorWrite, StoredDocument, VectorSearchQuery } from "@troupe/core/vector";
import { QdrantDouble } from "../test/qdrant-double.ts";
import type { DoubleRequest } from "../test/double-routes.ts";
import { collectionNameOf } from "./collection-registry.ts";
import { QdrantDatabase } from "./qdrant-database.ts";
import { QdrantFailures } from "./qdrant-failure.ts";
import { toSparseVector } from "./stored-words.ts";
import { pointIdOf } from "./stored-point.ts";

let double: QdrantDouble;
let database: QdrantDatabase;
beforeEach(async () => {
  double = await QdrantDouble.start();
  database = openDatabase();
});
afterEach(async () => await double.close());

const openDatabase = (): QdrantDatabase =>
  new QdrantDatabase({
    client: new QdrantClient({ url: double.url, checkCompatibility: false }),
    failures: new QdrantFailures(undefined),
    prefix: "pre",
  });

const documentOf = (id: string, vector: readonly number[] = [1, 0], metadata?: Record<string, unknown>) => {
  const stored: StoredDocument = {
    id,
    content: `content of ${id}`,
    vector: Float32Array.from(vector),
    length: Math.hypot(...vector),
    ...(metadata && { metadata }),
  };
  return stored;
};
const changeOf = (change: Partial<VectorWrite>): VectorWrite => ({
  documents: [],
  deletedIds: [],
  deletedWhere: undefined,
  ...change,
});
const searchOf = (search: Partial<VectorSearchQuery> = {}): VectorSearchQuery => ({
  vector: Float32Array.of(1, 0),
  length: 1,
  topK: 2,
  filter: {},
  minScore: -Infinity,
  ...search,
});

/** A request as one line, and its body. */
const shown = ({ method, path, query, body }: DoubleRequest): [line: string, body: object] => [
  `${method} ${path}${query.size === 0 ? "" : `?${query.toString()}`}`,
  body,
];
/** The requests since the last call. */
const newRequests = () => double.requests.splice(0).map(shown);
const linesOf = () => newRequests().map(([line]) => line);

const name = collectionNameOf("pre", "docs");
const place = `/collections/${name}`;
const ok = (result: unknown) => ({ status: 200, body: JSON.stringify({ result, status: "ok", time: 0 }) });
const refusal = (status: number, error: string) => ({ status, body: JSON.stringify({ status: { error } }) });

describe("The requests of a QdrantDatabase", () => {
  it("make the collection, its index and the points at the first change, and only points afterwards", async () => {
    await database.write("docs", changeOf({ documents: [documentOf("a", [1, 0], { of: "x" })] }));
    expect(newRequests()).toEqual([
      [`GET ${place}`, {}],
      [
        `PUT ${place}`,
        {
          vectors: { size: 2, distance: "Dot" },
          sparse_vectors: { words: { modifier: "idf" } },
          metadata: { troupe: "docs", "troupe-words": true },
        },
      ],
      [`PUT ${place}/index?wait=true`, { field_name: "terms", field_schema: "keyword" }],
      [`GET ${place}`, {}],
      [
        `POST ${place}/points/batch?wait=true&ordering=medium`,
        {
          operations: [
            {
              upsert: {
                points: [
                  {
                    id: pointIdOf("a"),
                    vector: { "": [1, 0], words: toSparseVector({ content: "content of a" }) },
                    payload: {
                      id: "a",
                      content: "content of a",
                      terms: ['"of":"x"'],
                      metadata: '{"of":"x"}',
                    },
                  },
                ],
              },
            },
          ],
        },
      ],
    ]);
    await database.write("docs", changeOf({ deletedIds: ["b"] }));

    expect(newRequests()).toEqual([
      [
        `POST ${place}/points/batch?wait=true&ordering=medium`,
        { operations: [{ delete: { points: [pointIdOf("b")] } }] },
      ],
    ]);
  });

  it("complete the index of a collection that another process left without one", async () => {
    await database.write("docs", changeOf({ documents: [documentOf("a")] }));
    double.collections.get(name)?.indexes.clear();
    newRequests();
    await openDatabase().write("docs", changeOf({ deletedIds: ["a"] }));

    expect(linesOf()).toEqual([
      `GET ${place}`,
      `PUT ${place}/index?wait=true`,
      `GET ${place}`,
      `POST ${place}/points/batch?wait=true&ordering=medium`,
    ]);
  });

  it("read a document with its vector, search without it, and clear the collection before its model", async () => {
    await database.write("docs", changeOf({ documents: [documentOf("a", [3, 4])] }));
    newRequests();
    const found = await database.get("docs", "a");
    const results = await database.search("docs", searchOf({ topK: 1, filter: { of: 1 } }));
    await database.clear("docs");

    expect([found, results]).toEqual([{ id: "a", content: "content of a", embedding: [3, 4] }, []]);
    const query = {
      query: [1, 0],
      limit: 2,
      filter: { must: [{ key: "terms", match: { value: '"of":1' } }] },
      with_payload: ["id", "content", "metadata"],
    };
    expect(newRequests()).toEqual([
      [`POST ${place}/points`, { ids: [pointIdOf("a")], with_payload: true, with_vector: true }],
      [`POST ${place}/points/query`, query],
      [`POST ${place}/points/query`, { ...query, params: { exact: true } }],
      [`DELETE ${place}`, {}],
      [
        "POST /collections/pre-models/points/batch?wait=true&ordering=strong",
        { operations: [{ delete: { points: [pointIdOf("docs")] } }] },
      ],
    ]);
  });

  it("decide a tie by the ids of all tied points, and read only the chosen documents", async () => {
    await database.write("docs", changeOf({ documents: ["c", "a", "b"].map((id) => documentOf(id)) }));
    newRequests();
    const results = await database.search("docs", searchOf());

    expect(results).toEqual([
      { document: { id: "a", content: "content of a" }, score: 1 },
      { document: { id: "b", content: "content of b" }, score: 1 },
    ]);
    expect(newRequests()).toEqual([
      [`POST ${place}/points/query`, { query: [1, 0], limit: 3, with_payload: ["id", "content", "metadata"] }],
      [`POST ${place}/points/query`, { query: [1, 0], limit: 104, with_payload: ["id"] }],
      [
        `POST ${place}/points`,
        {
          ids: [pointIdOf("a"), pointIdOf("b")],
          with_payload: ["id", "content", "metadata"],
          with_vector: false,
        },
      ],
    ]);
  });

  it("ask for four times as many tied points, up to 20,000, until the tie ends", async () => {
    const limits: unknown[] = [];
    double.fault = ({ path, body }) => {
      if (!path.endsWith("/query")) return ok([]);
      limits.push(body["limit"]);
      const points = Array.from({ length: Number(body["limit"]) }, () => '{"id":1,"version":0,"score":1}').join();
      return { status: 200, body: `{"result":{"points":[${points}]},"status":"ok","time":0}` };
    };

    expect(await database.search("docs", searchOf())).toEqual([]);
    expect(limits).toEqual([3, 104, 416, 1664, 6656, 20_000]);
  });
});

describe("The failures of a QdrantDatabase", () => {
  const failureOf = async (work: Promise<unknown>) =>
    await work.then(
      () => expect.fail("It did not fail."),
      (error: unknown) => error,
    );
  const write = async (id = "a") => await database.write("docs", changeOf({ documents: [documentOf(id)] }));

  it("name a collection of another program, and the way out", async () => {
    double.fault = () =>
      ok({ config: { params: { vectors: { size: 2, distance: "Cosine" } }, metadata: { troupe: "docs" } } });

    expect(await failureOf(write())).toMatchObject({
      code: "invalid_config",
      message: `The collection ${name} in Qdrant is of another program. Give the store another prefix.`,
    });
  });

  it("name two documents with one point id", async () => {
    double.fault = () => ok([{ id: pointIdOf("a"), vector: [1], payload: { id: "b", content: "" } }]);

    expect(await failureOf(database.get("docs", "a"))).toMatchObject({
      code: "storage_corrupt",
      message: "Two document ids have the same point id. Change one of them.",
    });
  });

  it("name the most dimensions, of which that many are taken", async () => {
    const vector = Array.from({ length: 65_537 }, () => 1);
    expect(await failureOf(database.write("docs", changeOf({ documents: [documentOf("a", vector)] })))).toMatchObject({
      code: "invalid_value",
      message: "The embedding must have at most 65536 numbers in Qdrant, got 65537.",
    });
    expect(linesOf()).toEqual([`GET ${place}`]);
    await database.write("docs", changeOf({ documents: [documentOf("a", vector.slice(1))] }));
    expect(double.collections.get(name)?.size).toBe(65_536);
  });

  it("end five vain attempts to prepare a collection that is cleared each time", async () => {
    double.fault = ({ method }) => (method === "GET" ? refusal(404, "Not found: Collection doesn't exist!") : ok(true));

    expect(await failureOf(write())).toMatchObject({
      code: "storage_unavailable",
      message: "The collection in Qdrant was cleared again and again while it was prepared. Try again.",
    });
    expect(linesOf()).toHaveLength(15);
  });

  it("end five vain attempts at a change whose collection is cleared each time", async () => {
    double.fault = ({ path }) =>
      path.endsWith("/batch") ? refusal(404, "Not found: Collection doesn't exist!") : undefined;

    expect(await failureOf(write())).toMatchObject({
      code: "storage_unavailable",
      message: "The collection was cleared again and again while a change of it was made. Try again.",
    });
    expect(linesOf().filter((line) => line.includes("/batch"))).toHaveLength(5);
  });

  it("the failures of a QdrantDatabase of a change that Qdrant refuses are tried once more only if the collection was known", async () => {
    double.fault = ({ path }) => (path.endsWith("/batch") ? refusal(400, "Wrong input") : undefined);
    const batches = () => linesOf().filter((line) => line.includes("/batch")).length;

    expect(await failureOf(write())).toMatchObject({ code: "storage_unavailable" });
    expect(batches()).toBe(1);
    double.fault = () => undefined;
    await write();
    batches();
    double.fault = ({ path }) => (path.endsWith("/batch") ? refusal(400, "Wrong input") : undefined);
    expect(await failureOf(write())).toMatchObject({ code: "storage_unavailable" });
    expect(batches()).toBe(2);
  });

  it.each([
    [409, true, "stored"],
    [400, true, "stored"],
    [400, false, "storage_unavailable"],
    [500, true, "storage_unavailable"],
  ])(
    "the failures of a QdrantDatabase of a creation with %d, when the collection is there: %s, end as %s",
    async (status, exists, end) => {
      let isMade = false;
      double.fault = ({ method, path }) => {
        if (path.endsWith("/exists")) return ok({ exists });
        if (method !== "PUT" || path !== place || isMade) return undefined;
        isMade = true;
        return refusal(status, "Wrong input: it exists");
      };
      const done = await write().then(
        () => "stored",
        (error: unknown) => (TroupeError.is(error) ? error.code : error),
      );

      expect([done, linesOf().includes(`GET ${place}/exists`)]).toEqual([end, status === 400]);
    },
  );
});
