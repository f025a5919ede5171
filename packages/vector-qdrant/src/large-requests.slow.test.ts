import type { VectorDocument } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { idsOf, startStore } from "../test/stores.ts";

const at = (id: string, embedding: number[]): VectorDocument => ({ id, content: "", embedding });

describe("A change of QdrantVectorStore", () => {
  it("is several requests of at most 8 MB when it is large [qdrant.requests]", async () => {
    const { double, store } = await startStore();
    const content = "ü".repeat(2 ** 20);
    await store.write({
      upsert: Array.from({ length: 10 }, (_, index) => ({ ...at(`d${index}`, [1, index]), content })),
    });
    const sizes = double.requests
      .filter(({ path }) => path.endsWith("/batch"))
      .map(({ body }) => Buffer.byteLength(JSON.stringify(body)));

    expect(sizes).toHaveLength(4);
    expect(Math.max(...sizes)).toBeLessThan(8 * 2 ** 20);
    expect(await idsOf(store)).toHaveLength(10);
  });

  it("takes the largest content, and refuses what grows beyond a request of Qdrant", async () => {
    const { store } = await startStore();
    const largest = { ...at("a", [1, 0]), content: '"'.repeat(8 * 2 ** 20) };
    await store.upsert(largest);
    expect((await store.get("a"))?.content).toBe(largest.content);
    const beyond = { ...at("b", [1, 0]), content: "\u0001".repeat(8 * 2 ** 20) };

    await expect(store.write({ upsert: [at("c", [1, 0]), beyond] })).rejects.toMatchObject({ code: "invalid_value" });
    expect(await idsOf(store)).toEqual(["a"]);
  });
});
