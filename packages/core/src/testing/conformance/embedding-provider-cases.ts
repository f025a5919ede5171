import { assert, failureOf } from "./assert.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { EmbeddingProvider } from "../../knowledge/vector/embedding-provider.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** Subject of `embeddingProviderCases`: an embedding provider, and the number of requests that its vendor received. */
export type EmbeddingProviderSubject = { embeddings: EmbeddingProvider; requestCount: () => number };

const texts = ["Rain in Oslo", "Invoices are due", "Rain in Oslo", "😀 \u2028 é", "x".repeat(2000)];

/** Conformance suite for every `EmbeddingProvider`. */
export const embeddingProviderCases = {
  "returns one vector per string": async ({ embeddings }) => {
    assert.equal((await embeddings.embedBatch(texts)).length, texts.length);
    assert.equal((await embeddings.embedBatch(["one"])).length, 1);
  },
  "returns the vectors in the order of the strings": async ({ embeddings }) => {
    const [one, other] = [await embeddings.embedBatch(texts), await embeddings.embedBatch(texts.toReversed())];

    assertClose(one, other.toReversed());
  },
  "returns vectors of one length": async ({ embeddings }) => {
    const lengths = [...(await embeddings.embedBatch(texts)), await embeddings.embed("alone")].map(
      ({ length }) => length,
    );

    assert.equal(new Set(lengths).size, 1);
    assert.ok((lengths[0] ?? 0) > 0);
  },
  "returns vectors of the length that it declares": async ({ embeddings }) => {
    const { length } = await embeddings.embed("one");

    assert.equal(embeddings.dimensions ?? length, length);
  },
  "returns finite vectors that are not zero": async ({ embeddings }) => {
    for (const vector of await embeddings.embedBatch([...texts, " "])) {
      assert.ok(vector.every((value) => Number.isFinite(value)));
      assert.ok(vector.some((value) => value !== 0));
    }
  },
  "returns plain arrays": async ({ embeddings }) => {
    for (const vector of [await embeddings.embed("one"), ...(await embeddings.embedBatch(["two"]))])
      assert.ok(Array.isArray(vector));
  },
  "embeds a batch as it embeds each string": async ({ embeddings }) => {
    const singles: number[][] = [];
    for (const text of texts) singles.push(await embeddings.embed(text));

    assertClose(await embeddings.embedBatch(texts), singles);
  },
  "returns different vectors for different strings": async ({ embeddings }) => {
    const [one, other] = await embeddings.embedBatch(["Rain in Oslo", "Invoices are due"]);

    assert.notDeepEqual(one, other);
  },
  "makes no request for an empty array": async ({ embeddings, requestCount }) => {
    assert.deepEqual(await embeddings.embedBatch([]), []);
    assert.equal(requestCount(), 0);
  },
  "embeds an empty string or refuses it as invalid_value": async ({ embeddings }) => {
    const { length } = await embeddings.embed("text");
    const embedded = await embeddings.embed("").catch((error: unknown) => error);

    if (!Array.isArray(embedded)) assert.ok(TroupeError.is(embedded) && embedded.code === "invalid_value");
    else assert.ok(embedded.length === length && embedded.every((value) => Number.isFinite(value)));
  },
  "embeds a thousand strings in one call": async ({ embeddings }) => {
    const many = Array.from({ length: 1000 }, (_, index) => `text ${index}`);
    const vectors = await embeddings.embedBatch(many);

    assert.equal(vectors.length, 1000);
    assertClose(
      [vectors[0] ?? [], vectors[999] ?? []],
      [await embeddings.embed("text 0"), await embeddings.embed("text 999")],
    );
  },
  "makes no request once its signal has aborted": async ({ embeddings, requestCount }) => {
    const options = { signal: AbortSignal.abort() };
    for (const call of [() => embeddings.embed("one", options), () => embeddings.embedBatch(["one"], options)])
      assert.ok(isCancelled(await failureOf(call())));

    assert.equal(requestCount(), 0);
  },
  "does not change the caller's array": async ({ embeddings }) => {
    const given = [...texts];
    await embeddings.embedBatch(given);

    assert.deepEqual(given, texts);
  },
} satisfies ConformanceCases<EmbeddingProviderSubject>;

function isCancelled(error: unknown): boolean {
  return TroupeError.is(error) ? error.code === "cancelled" : error instanceof Error && error.name === "AbortError";
}

/** Asserts that vectors are nearly equal, because vendors do not compute exactly the same vector every time. */
function assertClose(one: readonly number[][], other: readonly number[][]): void {
  assert.equal(one.length, other.length);
  for (const [index, vector] of one.entries()) {
    assert.equal(vector.length, other[index]?.length);
    for (const [place, value] of vector.entries()) assert.ok(Math.abs(value - (other[index]?.[place] ?? NaN)) < 1e-3);
  }
}
