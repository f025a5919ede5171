import { TroupeError } from "../../src/errors/troupe-error.ts";
import type { EmbeddingProvider } from "../../src/vector/embedding-provider.ts";
import { FakeEmbeddings } from "../../src/testing/fake-embeddings.ts";
import type {
  embeddingProviderCases,
  EmbeddingProviderSubject,
} from "../../src/testing/conformance/embedding-provider-cases.ts";
import { altered } from "./altered.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";

/** Embeddings that are wrong in one thing each. */
export const wrongEmbeddings = {
  "gives one vector per text": () => batching((vectors) => [...new Map(vectors.map((v) => [String(v), v])).values()]),
  "gives the vectors in the order of the texts": () => batching((vectors) => vectors.with(0, vectors.at(-1) ?? [])),
  "gives vectors of one length": () =>
    batching((vectors) => vectors.map((vector, index) => vector.slice(0, vector.length - index))),
  "gives vectors as long as it says": () => embeddingsBut(() => ({ dimensions: 3 })),
  "gives finite numbers that point somewhere": () => batching((vectors) => vectors.map((v) => v.map(() => 0))),
  "gives plain lists": () => batching((vectors) => vectors.map((v) => Float32Array.from(v) as unknown as number[])),
  "embeds a batch as it embeds each text": () => batching((vectors) => vectors.map((v) => v.toReversed())),
  "tells texts apart": () => batching((vectors) => vectors.map(() => vectors[0] ?? [])),
  "needs no call for an empty list": () =>
    embeddingsBut((right) => ({
      embedBatch: async (texts, options) => {
        const vectors = await right.embedBatch([...texts, ""], options);
        return vectors.slice(0, texts.length);
      },
    })),
  "embeds an empty text or refuses it as invalid": () =>
    embeddingsBut((right) => ({ embed: async (text) => (text === "" ? [] : await right.embed(text)) })),
  "embeds a thousand texts in one call": () =>
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
  "leaves the caller's list alone": () =>
    embeddingsBut((right) => ({
      embedBatch: async (texts) => await right.embedBatch((texts as string[]).splice(0)),
    })),
} satisfies WrongSubjects<EmbeddingProviderSubject, typeof embeddingProviderCases>;

/** Right embeddings, but for some members. */
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
