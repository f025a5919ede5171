import { describe, expect, it } from "vitest";
import { checkConformance } from "../testing/conformance/check-conformance.ts";
import { vectorCollectionCases, vectorWriteCases } from "../testing/conformance/vector-optional-cases.ts";
import type { WritableVectorStore } from "../testing/conformance/vector-optional-cases.ts";
import { at, eastIds, fill } from "../testing/conformance/vector-documents.ts";
import { vectorStoreCases } from "../testing/conformance/vector-store-cases.ts";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import type { VectorStore } from "./vector/vector-store.ts";
import { FieldCollection } from "./field-collection.ts";
import { plainStore, writingStore } from "./test/plain-store.ts";

/** Collections side by side in one plain store, one of them in the part of the store around them. */
function collecting() {
  const store = plainStore({ dimensions: 2 });
  const embeddings = new FakeEmbeddings({ dimensions: 2 });
  const collection = (name: string) => new FieldCollection(store, { name, embeddings });
  return Object.assign(collection("around"), { collection });
}

describe("FieldCollection", () => {
  checkConformance(it, vectorStoreCases, {
    create: () => new FieldCollection(plainStore({ dimensions: 2 }), { name: "kb" }),
  });
  checkConformance(it, vectorCollectionCases, {
    create: collecting,
    knownGaps: { "closes all views with the store": "it is beside the others, and not around them" },
  });

  describe("over a store with write", () => {
    const rememberNothing = "a store has one model for all of its collections";
    checkConformance(it, vectorWriteCases, {
      create: () =>
        new FieldCollection(writingStore({ dimensions: 2 }), { name: "kb" }) as VectorStore as WritableVectorStore,
      knownGaps: {
        "remembers the first name of a model until it is cleared": rememberNothing,
        "remembers one name when many are told at once": rememberNothing,
        "refuses the optional calls after it was closed": rememberNothing,
      },
    });

    it("changes and removes documents of its own name only", async () => {
      const store = writingStore();
      const writable = (name: string) => new FieldCollection(store, { name }) as VectorStore as WritableVectorStore;
      const [one, other] = [writable("one"), writable("other")];
      for (const each of [one, other]) await each.write({ upsert: [at("a", [1, 0], { of: "x" }), at("b", [1, 0])] });
      await one.write({ delete: ["b"], deleteWhere: { of: "x" } });

      expect(await eastIds(one)).toEqual([]);
      expect(await eastIds(other)).toEqual(["a", "b"]);
      const reserved = {
        code: "invalid_value",
        message: expect.stringContaining("filter.troupe_collection is reserved"),
      };
      await expect(one.write({ deleteWhere: { troupe_collection: "other" } })).rejects.toMatchObject(reserved);
      await one.close();
      await expect(one.write({})).rejects.toMatchObject({ code: "storage_unavailable" });
      await expect(one.initialize()).rejects.toMatchObject({ code: "storage_unavailable" });
    });

    it("has no optional calls that the store has not", () => {
      const { write, initialize } = new FieldCollection(plainStore(), { name: "kb" });

      expect([write, initialize]).toEqual([undefined, undefined]);
    });
  });

  it("leaves documents of the store that are in no collection untouched", async () => {
    const store = plainStore();
    const collection = new FieldCollection(store, { name: "kb" });
    await fill(store, at("kb/a", [1, 0]), at("b", [1, 0], { troupe_collection: "kb" }));
    await collection.upsert(at("c", [1, 0]));

    expect(await eastIds(collection)).toEqual(["c"]);
    expect([await collection.get("a"), await collection.get("b")]).toEqual([null, null]);
  });

  it("deletes no other documents, even in a store that ignores the filter", async () => {
    const store = plainStore();
    const search: VectorStore["search"] = async (embedding) => await store.search(embedding);
    const [one, other] = ["one", "other"].map((name) => new FieldCollection({ ...store, search }, { name }));
    for (const collection of [one, other, store]) await collection?.upsert(at("a", [1, 0]));
    await one?.clear();

    expect(await one?.get("a")).toBeNull();
    expect((await other?.get("a"))?.id).toBe("a");
    expect((await store.get("a"))?.id).toBe("a");
    expect(await eastIds(other as VectorStore)).toEqual(["a"]);
  });

  it("gives the store its name before the id and in the metadata, and its callers neither", async () => {
    const store = plainStore();
    const collection = new FieldCollection(store, { name: "k/b" });
    await collection.upsert(at("a/b", [1, 0], { tag: "x" }));

    expect(await store.get("k%2Fb/a/b")).toMatchObject({ metadata: { tag: "x", troupe_collection: "k/b" } });
    expect(await collection.get("a/b")).toEqual(at("a/b", [1, 0], { tag: "x" }));
  });

  it("refuses its own field from callers, where it would be lost or widen a search", async () => {
    const collection = new FieldCollection(plainStore(), { name: "kb" });
    const refusal = (kind: string) => ({
      code: "invalid_value",
      message: `${kind}.troupe_collection is reserved. Choose another name for the field.`,
    });

    await expect(collection.upsert(at("a", [1, 0], { troupe_collection: "other" }))).rejects.toMatchObject(
      refusal("metadata"),
    );
    await expect(collection.search([1, 0], { filter: { troupe_collection: "other" } })).rejects.toMatchObject(
      refusal("filter"),
    );
  });

  it("refuses an id that leaves no room for the name", async () => {
    const collection = new FieldCollection(plainStore(), { name: "kb" });
    await collection.upsert(at("x".repeat(1021), [1, 0]));

    await expect(collection.get("x".repeat(1022))).rejects.toMatchObject({
      code: "invalid_value",
      message: expect.stringContaining("with the name of its collection before it, must have at most 1024 bytes"),
    });
  });

  it("clears more documents than it finds at a time, whatever the direction of their vectors", async () => {
    const [store, calls] = counted(plainStore());
    const [one, other] = ["one", "other"].map((name) => new FieldCollection(store, { name }));
    for (let index = 0; index < 2100; index++) await one?.upsert(at(`d${index}`, [index % 2 ? 1 : -1, -1]));
    await other?.upsert(at("a", [1, 0]));
    await one?.clear();

    expect(await eastIds(one as VectorStore)).toEqual([]);
    expect(await eastIds(other as VectorStore)).toEqual(["a"]);
    expect(calls).toEqual({ delete: 2100, search: 4 + 2 });
  });

  it("learns the length of the vectors that it clears from a document, a search or the embeddings", async () => {
    const store = plainStore();
    await new FieldCollection(store, { name: "kb" }).upsert(at("a", [1, 0, 0, 0]));
    const fresh = () => new FieldCollection(store, { name: "kb" });
    const silent = { embed: async () => [1, 2, 3, 4], embedBatch: async () => [] };

    await expect(fresh().clear()).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("give `embeddings`"),
    });
    for (const embeddings of [new FakeEmbeddings({ dimensions: 4 }), silent]) {
      const collection = new FieldCollection(store, { name: "kb", embeddings });
      await collection.clear();
      expect(await store.get("kb/a")).toBeNull();
      await collection.upsert(at("a", [1, 0, 0, 0]));
    }
    const [getting, finding] = [fresh(), fresh()];
    await getting.get("a");
    await getting.clear();
    expect(await getting.get("a")).toBeNull();
    await getting.upsert(at("a", [1, 0, 0, 0]));
    await finding.search([1, 1, 1, 1]);
    await finding.clear();
    expect(await finding.get("a")).toBeNull();
  });

  it("learns nothing from a search that found nothing", async () => {
    const store = plainStore();
    const collection = new FieldCollection(store, { name: "kb", embeddings: new FakeEmbeddings({ dimensions: 4 }) });
    await collection.search([1, 0]);
    await new FieldCollection(store, { name: "kb" }).upsert(at("a", [1, 0, 0, 0]));
    await collection.clear();

    expect(await store.get("kb/a")).toBeNull();
  });

  it("stops when the store still finds documents that it has deleted", async () => {
    const collection = new FieldCollection({ ...plainStore(), delete: async () => {} }, { name: "kb" });
    await collection.upsert(at("a", [1, 0]));

    await expect(collection.clear()).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});

function counted(store: VectorStore): [store: VectorStore, calls: Record<"delete" | "search", number>] {
  const calls = { delete: 0, search: 0 };
  const count = (name: keyof typeof calls) => void (calls[name] += 1);
  const counting: VectorStore = {
    ...store,
    search: async (...given) => (count("search"), await store.search(...given)),
    delete: async (id) => (count("delete"), await store.delete(id)),
  };
  return [counting, calls];
}
