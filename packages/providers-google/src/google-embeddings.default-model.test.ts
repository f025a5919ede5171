import { describe, expect, it } from "vitest";
import { bodiesOf } from "../test/vendor.ts";
import { googleEmbeddings } from "./index.ts";
import { startEmbeddings, startAnswering, vectorsOf } from "../test/embeddings.ts";
import type { Batch } from "../test/embeddings.ts";

const lengthOf = (vector: readonly number[] = []) => Math.hypot(...vector);

describe("the default model", () => {
  it("is the one of old, at its length [google.embeddings-default]", async () => {
    const { embeddings, asked } = await startAnswering((texts) => ({ body: vectorsOf(texts, Array(768).fill(1)) }), {
      model: undefined,
    });

    expect(googleEmbeddings().dimensions).toBe(768);
    expect(googleEmbeddings().providerId).toBe("google");
    expect(await embeddings.embed("rain")).toHaveLength(768);
    expect(asked()).toBe(1);
  });

  it("gives way to its successor once the vendor has ended it, at the same length, and says so once [embedding.model-id]", async () => {
    const { vendor, embeddings, lines } = await startEmbeddings({ vectors: 3072 });
    expect(embeddings.modelId).toBe("text-embedding-004");

    const [one] = await embeddings.embedBatch(["rain", "sun"]);
    expect(embeddings.modelId).toBe("gemini-embedding-001");
    await embeddings.embed("rain");

    const asked = bodiesOf(vendor).map((body) => (body as Batch).requests.map(({ model }) => model));
    expect(asked).toEqual([
      ["models/text-embedding-004", "models/text-embedding-004"],
      ["models/gemini-embedding-001", "models/gemini-embedding-001"],
      ["models/gemini-embedding-001"],
    ]);
    expect((bodiesOf(vendor)[1] as Batch).requests[0]?.outputDimensionality).toBe(768);
    expect([one?.length, embeddings.dimensions]).toEqual([768, 768]);
    expect(lengthOf(one)).toBeCloseTo(1, 9);
    expect(lines).toEqual([expect.stringContaining("text-embedding-004 was shut down")]);
  });

  it("gives way at once to all who ask, with one warning, at the length that was asked for", async () => {
    const { embeddings, lines } = await startEmbeddings({ vectors: 3072, dimensions: 256 });

    const vectors = await Promise.all(["rain", "sun", "snow"].map((text) => embeddings.embed(text)));

    expect(vectors.map(({ length }) => length)).toEqual([256, 256, 256]);
    expect(lines).toHaveLength(1);
  });

  it("never shares a call with its successor, whenever it ends", async () => {
    let calls = 0;
    const { embeddings } = await startAnswering(
      (texts) => {
        calls += 1;
        return calls === 2 ? { status: 404, body: {} } : { body: vectorsOf(texts, [calls, 0]) };
      },
      { model: undefined, dimensions: 2 },
    );

    await embeddings.embedBatch(Array.from({ length: 150 }, () => "rain"));

    // Two before it ended, and both again.
    expect(calls).toBe(4);
  });

  it.each([
    ["another model that is not there", "gemini-embedding-9", 404],
    ["another failure of it", undefined, 500],
  ])("is the only reason to ask twice: not %s", async (_, model, status) => {
    const { embeddings, asked } = await startAnswering(() => ({ status, body: {} }), { model });

    await expect(embeddings.embed("rain")).rejects.toMatchObject({ code: "model_failed", status });
    expect(asked()).toBe(1);
  });

  it("is not asked for a third time when its successor is not there either", async () => {
    const { embeddings, asked } = await startAnswering(() => ({ status: 404, body: {} }), { model: undefined });

    await expect(embeddings.embed("rain")).rejects.toMatchObject({ code: "model_failed", status: 404 });
    expect(asked()).toBe(2);
  });
});
