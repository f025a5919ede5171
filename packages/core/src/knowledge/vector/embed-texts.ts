import { toModelError } from "../../base/errors/to-model-error.ts";
import type { CallContext } from "../../base/errors/to-model-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { ResponseError } from "../../base/errors/vendor-error.ts";

/** A vendor's limits for one embedding request, and the number of requests that may run at once. */
export type EmbeddingLimits = {
  mostTexts: number;
  /** The maximum number of characters of all texts in a request; a longer text is sent alone. @default no limit */
  mostCharacters?: number | undefined;
  /** The maximum number of embedding requests that run at once. @default 1, because of rate limits */
  concurrency?: number | undefined;
};

/** A call for embeddings that is ready to be sent. Errors of `send` become errors of the call. */
export type EmbeddingCall = {
  call: CallContext;
  limits: EmbeddingLimits;
  /** The expected length of each embedding vector. If undefined, all vectors must have the same length. */
  length: number | undefined;
  /** Sends one batch of texts to the vendor and returns the vectors in the order of the texts. */
  send: (batch: readonly string[]) => Promise<number[][]>;
};

/**
 * Turns texts into vectors for an embedding provider: sends batches that the vendor accepts, and joins the vectors in
 * the order of the texts. Throws `invalid_value` for an empty text. Errors of `prepare` stay unchanged; errors of
 * `send` are converted by `toModelError`. A wrong number or length of vectors is also an error, because vectors would
 * be assigned to the wrong texts.
 */
export async function generateEmbeddings(
  texts: readonly string[],
  prepare: () => Promise<EmbeddingCall>,
): Promise<number[][]> {
  checkTexts(texts);
  if (texts.length === 0) return [];
  const prepared = await prepare();
  try {
    prepared.call.signal?.throwIfAborted();
    return await sendBatches(texts, prepared);
  } catch (error) {
    throw toModelError(error, prepared.call);
  }
}

async function sendBatches(texts: readonly string[], { limits, send, ...given }: EmbeddingCall): Promise<number[][]> {
  const batches = splitTexts(texts, limits);
  const answers: number[][][] = [];
  let { length } = given;
  let next = 0;
  const sendNext = async (): Promise<void> => {
    for (let index = next++; index < batches.length; index = next++) {
      const batch = batches[index] ?? [];
      const vectors = await send(batch);
      length ??= vectors[0]?.length ?? 0;
      const isWhole = vectors.length === batch.length && length > 0 && vectors.every((each) => each.length === length);
      if (!isWhole) throw new ResponseError("sent vectors of another number or length than was asked for");
      answers[index] = vectors;
    }
  };
  const senders = Array.from({ length: Math.min(limits.concurrency ?? 1, batches.length) }, sendNext);
  try {
    await Promise.all(senders);
  } finally {
    // After a failed embedding request, the other senders stop before their next batch.
    next = batches.length;
  }
  return answers.flat();
}

function checkTexts(texts: readonly string[]): void {
  const empty = texts.indexOf("");
  if (empty === -1) return;
  throw new TroupeError("invalid_value", `An empty text has no embedding, and text ${empty} is empty. Leave it out.`);
}

/** Splits texts into batches within the limits of a vendor. */
function splitTexts(texts: readonly string[], { mostTexts, mostCharacters = Infinity }: EmbeddingLimits): string[][] {
  const batches: string[][] = [];
  let [batch, characters] = [[] as string[], 0];
  for (const text of texts) {
    const isFull = batch.length === mostTexts || characters + text.length > mostCharacters;
    if (isFull || batches.length === 0) {
      [batch, characters] = [[], 0];
      batches.push(batch);
    }
    batch.push(text);
    characters += text.length;
  }
  return batches;
}
