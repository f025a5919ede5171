import { TroupeError } from "../../src/base/errors/troupe-error.ts";
import type { EmbeddingProvider } from "../../src/knowledge/vector/embedding-provider.ts";
import { FakeEmbeddings } from "../../src/testing/fake-embeddings.ts";
import type {
  embeddingProviderCases,
  EmbeddingProviderSubject,
} from "../../src/testing/conformance/embedding-provider-cases.ts";
import { altered } from "./altered.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";

/** Embedding providers with one mistake each. */
export const wrongEmbeddings = {
  "returns one vector per string": () =>
    batching((vectors) => [...new Map(vectors.map((v) => [String(v), v])).values()]),
  "returns the vectors in the order of the strings": () => batching((vectors) => vectors.with(0, vectors.at(-1) ?? [])),
  "returns vectors of one length": () =>
    batching((vectors) => vectors.map((vector, index) => vector.slice(0, vector.length - index))),
  "returns vectors of the length that it declares": () => embeddingsBut(() => ({ dimensions: 3 })),
  "returns finite vectors that are not zero": () => batching((vectors) => vectors.map((v) => v.map(() => 0))),
  "returns plain arrays": () => batching((vectors) => vectors.map((v) => Float32Array.from(v) as unknown as number[])),
  "embeds a batch as it embeds each string": () => batching((vectors) => vectors.map((v) => v.toReversed())),
  "returns different vectors for different strings": () => batching((vectors) => vectors.map(() => vectors[0] ?? [])),
  "makes no request for an empty array": () =>
    embeddingsBut((right) => ({
      embedBatch: async (texts, options) => {
        const vectors = await right.embedBatch([...texts, ""], options);
        return vectors.slice(0, texts.length);
      },
    })),
  "embeds an empty string or refuses it as invalid_value": () =>
    embeddingsBut((right) => ({ embed: async (text) => (text === "" ? [] : await right.embed(text)) })),
  "embeds a thousand strings in one call": () =>
    embeddingsBut((right) => ({
      embedBatch: async (texts) => {
        if (texts.length > 100) throw new TroupeError("model_failed", "Too many texts.");
        return await right.embedBatch(texts);
      },
    })),
  "makes no request once its signal has aborted": () =>
    embeddingsBut((right) => ({
      embed: async (text) => await right.embed(text),
      embedBatch: async (texts) => await right.embedBatch(texts),
    })),
  "does not change the caller's array": () =>
    embeddingsBut((right) => ({
      embedBatch: async (texts) => await right.embedBatch((texts as string[]).splice(0)),
    })),
} satisfies WrongSubjects<EmbeddingProviderSubject, typeof embeddingProviderCases>;

/** Returns correct embeddings with some members replaced. */
export function embeddingsBut(
  change: (right: EmbeddingProvider) => Partial<EmbeddingProvider>,
): EmbeddingProviderSubject {
  const fake = new FakeEmbeddings({ dimensions: 32 });
  const embeddings = altered<EmbeddingProvider>(fake, change);
  return { embeddings, requestCount: () => fake.calls.length };
}

function batching(change: (vectors: number[][]) => number[][]): EmbeddingProviderSubject {
  return embeddingsBut((right) => ({
    embedBatch: async (texts, options) => change(await right.embedBatch(texts, options)),
  }));
}
