import { toTroupeError } from "../base/errors/to-troupe-error.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { Telemetry } from "../base/telemetry/telemetry.ts";
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

/** The options that an embedding provider receives, and the telemetry that records the call. */
type ObservedEmbedOptions = EmbedOptions & { readonly telemetry?: Telemetry | undefined };

/**
 * Returns the vectors of texts in order, from one call of the provider. Throws `model_failed` if vectors are missing,
 * have a wrong length or cannot be compared.
 */
export async function askForVectors(
  embeddings: EmbeddingProvider,
  texts: readonly string[],
  { telemetry, ...options }: ObservedEmbedOptions,
): Promise<number[][]> {
  const call = () => ask(() => embeddings.embedBatch(texts, options), options);
  const vectors: unknown = await (telemetry === undefined
    ? call()
    : observeEmbeddings(telemetry, { embeddings, count: texts.length }, call));
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
export async function embedText(
  embeddings: EmbeddingProvider,
  text: string,
  { telemetry, ...options }: ObservedEmbedOptions,
): Promise<number[]> {
  const call = () => ask(() => embeddings.embed(text, options), options);
  const answer = await (telemetry === undefined
    ? call()
    : observeEmbeddings(telemetry, { embeddings, count: 1 }, call));
  const [vector = []] = checkVectors(embeddings, [answer]);
  return vector;
}

/** Calls an embedding provider, and records the call in telemetry. */
async function observeEmbeddings<Answer>(
  telemetry: Telemetry,
  { embeddings, count }: { embeddings: EmbeddingProvider; count: number },
  call: () => Promise<Answer>,
): Promise<Answer> {
  const { providerId, modelId, dimensions } = embeddings;
  const model = { ...(providerId !== undefined && { providerId }), ...(modelId !== undefined && { modelId }) };
  const operation = telemetry.begin("embeddings", { model, count });
  try {
    const answer = await operation.run(call);
    operation.end({ dimensions });
    return answer;
  } catch (error) {
    operation.end({ error });
    throw error;
  }
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
