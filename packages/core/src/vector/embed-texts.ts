import { TroupeError } from "../errors/troupe-error.ts";
import { ResponseError } from "../errors/vendor-error.ts";

/** The limits of a vendor in one request for embeddings, and the number of requests that may run at once. */
export type EmbeddingLimits = {
  mostTexts: number;
  /** Characters of all texts together; a longer text is sent alone. @default no limit */
  mostCharacters?: number | undefined;
  /** Requests that run at once. @default 1, because of rate limits */
  concurrency?: number | undefined;
};

/** Settings of `embedTexts`: the limits, the expected length of the vectors, and the function that sends one batch. */
export type TextBatches = {
  limits: EmbeddingLimits;
  /** Length of each vector. Without it, all must have the same one. */
  length: number | undefined;
  /** Sends one batch and returns its vectors in the order of the texts. */
  send: (batch: readonly string[]) => Promise<number[][]>;
};

/**
 * Turns texts into vectors for a provider of embeddings: sends them in batches that the vendor takes, and joins the
 * vectors in the order of the texts. Throws `ResponseError` for a wrong number or length of vectors, which would go to
 * the wrong texts.
 */
export async function embedTexts(texts: readonly string[], settings: TextBatches): Promise<number[][]> {
  const { limits, send } = settings;
  const batches = splitTexts(texts, limits);
  const answers: number[][][] = [];
  let { length } = settings;
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
    // After a failure the other senders stop at their next batch.
    next = batches.length;
  }
  return answers.flat();
}

/** Throws `invalid_value` for an empty text, which has no embedding. */
export function checkTexts(texts: readonly string[]): void {
  const empty = texts.indexOf("");
  if (empty === -1) return;
  throw new TroupeError("invalid_value", `An empty text has no embedding, and text ${empty} is empty. Leave it out.`);
}

/** Splits texts into batches below the limits of a vendor. */
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
