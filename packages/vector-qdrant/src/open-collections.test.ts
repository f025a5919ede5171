import type { QdrantClient } from "@qdrant/js-client-rest";
import { describe, expect, it } from "vitest";
import { collectionNameOf } from "./collection-registry.ts";
import { OpenCollections } from "./open-collections.ts";

/** Collections that are complete but for the given parts, and the number of requests for them. */
function start(given: { hasIndex?: boolean; takesWords?: boolean; hasWords?: unknown } = {}) {
  const { hasIndex = true, takesWords = true, hasWords = true } = given;
  const paths = new Map<string, string>();
  const asked: string[] = [];
  const client = {
    getCollection: async (name: string) => {
      asked.push("read");
      const params = { vectors: { size: 2, distance: "Dot" }, ...(takesWords && { sparse_vectors: { words: {} } }) };
      const config = { params, metadata: { troupe: paths.get(name), "troupe-words": hasWords } };
      return await Promise.resolve({ config, payload_schema: hasIndex ? { terms: {} } : {} });
    },
    createPayloadIndex: async () => void asked.push(await Promise.resolve("index")),
  };
  const collections = new OpenCollections(client as unknown as QdrantClient, "p");
  const nameIt = (path: string) => paths.set(collectionNameOf("p", path), path);
  nameIt("kb");
  return { collections, asked, nameIt };
}

describe("OpenCollections", () => {
  it("keeps a bounded number of collections", async () => {
    const { collections, nameIt } = start();
    for (let index = 0; index <= 10_000; index++) {
      nameIt(`${index}`);
      await collections.open(`${index}`, []);
    }

    expect(["0", "9999", "10000"].map((path) => collections.isKnown(path))).toEqual([false, false, true]);
  });

  it.each([
    ["is complete", {}, true, ["read"]],
    ["has no index of terms", { hasIndex: false }, true, ["read", "read"]],
    ["takes no words", { takesWords: false, hasWords: null }, false, ["read", "read"]],
    ["lacks words of some points", { hasWords: null }, false, ["read", "read"]],
    ["has another value for its words", { hasWords: "yes" }, false, ["read", "read"]],
  ])("answers twice if words find all points of a collection that %s", async (...[, given, isFound, requests]) => {
    const { collections, asked } = start(given);

    expect([await collections.canSearchWords("kb"), await collections.canSearchWords("kb")]).toEqual([
      isFound,
      isFound,
    ]);
    expect(asked).toEqual(requests);
  });

  it.each([
    ["is complete", {}, ["read"], true],
    ["lacks words of some points", { hasWords: null }, ["read"], true],
    ["takes no words", { takesWords: false }, ["read", "read"], false],
  ])("opens a collection that %s twice", async (...[, given, requests, isKnown]) => {
    const { collections, asked } = start(given);
    await collections.open("kb", [2]);
    await collections.open("kb", [2]);

    expect(asked).toEqual(requests);
    expect(collections.isKnown("kb")).toBe(isKnown);
  });

  it("reads a collection again after it was forgotten", async () => {
    const { collections, asked } = start();
    await collections.open("kb", []);
    collections.forget("kb");

    expect(collections.isKnown("kb")).toBe(false);
    await collections.open("kb", []);
    expect(asked).toEqual(["read", "read"]);
  });

  it("gives up a collection whose index is missing each time", async () => {
    const { collections, asked } = start({ hasIndex: false });

    await expect(collections.open("kb", [2])).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(asked).toEqual(Array.from({ length: 5 }, () => ["read", "index"]).flat());
  });

  it("refuses other lengths of vectors, also of a collection that it knows", async () => {
    const { collections } = start();
    for (const _ of [1, 2]) {
      await expect(collections.open("kb", [2, 3])).rejects.toMatchObject({ code: "invalid_value" });
      await collections.open("kb", [2]);
    }
  });
});
