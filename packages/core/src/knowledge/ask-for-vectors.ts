import { toTroupeError } from "../base/errors/to-troupe-error.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { untilAborted } from "../base/async/until-aborted.ts";
import { checkEmbedding } from "./vector/check-document.ts";
import type { EmbeddingProvider, EmbedOptions } from "./vector/embedding-provider.ts";

/** Returns the given embedding provider. Throws `invalid_config` if it is undefined. */
export function requireEmbeddings(embeddings: EmbeddingProvider | undefined): EmbeddingProvider {
  if (embeddings !== undefined) return embeddings;
  const message =
    "There are no embeddings. To use text, give `embeddings` to the knowledge base or to its vector store; otherwise give vectors.";
  throw new TroupeError("invalid_config", message);
}

/**
 * Returns the vectors of texts in order, from one call of the provider. Throws `model_failed` if vectors are missing,
 * have a wrong length or cannot be compared.
 */
export async function askForVectors(
  embeddings: EmbeddingProvider,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<number[][]> {
  const vectors: unknown = await ask(() => embeddings.embedBatch(texts, options), options);
  const count = Array.isArray(vectors) ? vectors.length : "no";
  if (!Array.isArray(vectors) || count !== texts.length) {
    throw invalidVectors(embeddings, `gave ${count} vectors for ${texts.length} texts`);
  }
  return checkVectors(embeddings, vectors);
}

/**
 * Returns the vector of one text, such as a query. Throws `model_failed` if it has a wrong length or cannot be
 * compared.
 */
export async function embedText(embeddings: EmbeddingProvider, text: string, options: EmbedOptions): Promise<number[]> {
  const [vector = []] = checkVectors(embeddings, [await ask(() => embeddings.embed(text, options), options)]);
  return vector;
}

async function ask<Answer>(call: () => Promise<Answer>, { signal }: EmbedOptions): Promise<Answer> {
  try {
    return await untilAborted(async () => await call(), signal);
  } catch (thrown) {
    throw toTroupeError(thrown, signal);
  }
}

/** Rejects vectors of an embedding provider that cannot be compared with other vectors or with each other. */
function checkVectors(embeddings: EmbeddingProvider, vectors: readonly unknown[]): number[][] {
  const dimensions = embeddings.dimensions ?? lengthOf(vectors[0]);
  for (const vector of vectors) {
    const length = lengthOf(vector);
    if (length !== dimensions) {
      throw invalidVectors(embeddings, `gave a vector of ${length} numbers where ${dimensions} were expected`);
    }
    try {
      checkEmbedding(vector);
    } catch (cause) {
      throw invalidVectors(embeddings, "gave a vector that cannot be compared", cause);
    }
  }
  return vectors as number[][];
}

function lengthOf(vector: unknown): number {
  return Array.isArray(vector) ? vector.length : 0;
}

function invalidVectors({ providerId }: EmbeddingProvider, problem: string, cause?: unknown): TroupeError {
  const fields = providerId === undefined ? {} : { vendor: providerId };
  const source = providerId === undefined ? "The embeddings" : `The embeddings of ${providerId}`;
  return new TroupeError("model_failed", `${source} ${problem}.`, { cause, fields });
}
