import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { QdrantClient } from "@qdrant/js-client-rest";
import { QdrantDouble } from "../test/qdrant-double.ts";
import { CollectionRegistry, collectionNameOf, registryOf } from "./collection-registry.ts";
import { pointIdOf } from "./stored-point.ts";

describe("collectionNameOf", () => {
  it.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb924"],
    ["docs", "docs-46b42b4229cd7a39c564e780bb665a8b"],
  ])("adds to the path %j the first 32 digits of its hash", (path, expected) => {
    expect(collectionNameOf("pre", path)).toBe(`pre-${expected}`);
  });

  it.each([
    ["/a//b.C/9", "a-b-C-9"],
    ["--a--b--", "a-b"],
    ["aä", "a"],
    ["x".repeat(50), "x".repeat(40)],
  ])("makes the path %j readable", (path, expected) => {
    expect(collectionNameOf("pre", path)).toMatch(new RegExp(`^pre-${expected}-[0-9a-f]{32}$`));
  });

  it.each(["---", "ä", "/"])("has the hash alone for %j, in which nothing is readable", (path) => {
    expect(collectionNameOf("pre", path)).toMatch(/^pre-[0-9a-f]{32}$/);
  });
});

it("registryOf is a name that no collection of a store has", () => {
  expect(registryOf("pre")).toBe("pre-models");
});

describe("CollectionRegistry", () => {
  let double: QdrantDouble;
  let registry: CollectionRegistry;
  beforeEach(async () => {
    double = await QdrantDouble.start();
    registry = new CollectionRegistry(new QdrantClient({ url: double.url, checkCompatibility: false }), "pre");
  });
  afterEach(async () => await double.close());

  const newRequests = () =>
    double.requests.splice(0).map(({ method, path, query, body }) => [method, path, query.toString(), body]);

  it("remembers a model in a collection of its own, and reads it back", async () => {
    const models = "/collections/pre-models";
    const read = ["POST", `${models}/points`, "", { ids: [pointIdOf("a")], with_payload: true, with_vector: false }];
    const points = [{ id: pointIdOf("a"), vector: [1], payload: { collection: "a", model: "m" } }];
    const operations = [{ upsert: { points, update_filter: { must: [{ has_id: [] }] } } }];
    const write = ["POST", `${models}/points/batch`, "wait=true&ordering=strong", { operations }];
    const create = ["PUT", models, "", { vectors: { size: 1, distance: "Dot" } }];

    expect(await registry.rememberModel("a", "m")).toBe("m");
    expect(newRequests()).toEqual([read, write, create, write, read]);
    expect(await registry.rememberModel("a", "other")).toBe("m");
    expect(newRequests()).toEqual([read]);
    expect(await registry.rememberModel("b", "other")).toBe("other");
    expect(newRequests().map(([, path]) => path)).toEqual([read[1], write[1], read[1]]);
  });

  it("returns the given model where another process clears the collection in between", async () => {
    double.fault = () => ({ status: 200, body: '{"result":[],"status":"ok","time":0}' });

    expect(await registry.rememberModel("a", "m")).toBe("m");
  });

  it("forgets a model, and one that it never had", async () => {
    await registry.forgetModel("a");
    await registry.rememberModel("a", "m");
    await registry.rememberModel("b", "m");
    await registry.forgetModel("a");

    expect(await registry.rememberModel("a", "other")).toBe("other");
    expect(await registry.rememberModel("b", "other")).toBe("m");
  });

  it.each([
    ["another path", { collection: "other", model: "m" }],
    ["no string as its model", { collection: "a", model: 7 }],
  ])("refuses a point with %s as one of another program", async (_title, payload) => {
    const result = [{ id: pointIdOf("a"), payload }];
    double.fault = () => ({ status: 200, body: JSON.stringify({ result, status: "ok", time: 0 }) });

    await expect(registry.rememberModel("a", "m")).rejects.toMatchObject({
      code: "storage_corrupt",
      message: "The collection pre-models in Qdrant holds a point of another program.",
    });
  });
});
