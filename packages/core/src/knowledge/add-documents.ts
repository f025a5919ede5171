import { toTroupeError } from "../errors/to-troupe-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { untilAborted } from "../async/until-aborted.ts";
import { copyDocument } from "../vector/check-document.ts";
import { checkEmbedding } from "../vector/check-embedding.ts";
import type { EmbeddingProvider, EmbedOptions } from "../vector/embedding-provider.ts";
import type { VectorDocument, VectorStore } from "../vector/vector-store.ts";
import { AddDocumentsError } from "./add-documents-error.ts";
import { embedTexts, requireEmbeddings } from "./embed-texts.ts";

/** Where documents go, and how they get there. */
export type AddPlan = {
  store: VectorStore;
  embeddings: EmbeddingProvider | undefined;
  embedOptions: EmbedOptions;
  /** How many texts are embedded in one call. */
  batchSize: number;
  /** How many batches are on their way at once. */
  concurrency: number;
};

/** Stores one document with its vector. */
export async function addDocument(document: VectorDocument, plan: AddPlan): Promise<void> {
  await storeBatch([snapshot(document, plan)], plan);
}

/**
 * Stores the documents, each with its vector. Of several with one id the last counts. After a failure no further batch is
 * begun, those on their way are finished, and an `AddDocumentsError` says what is not stored.
 */
export async function addDocuments(documents: readonly VectorDocument[], plan: AddPlan): Promise<void> {
  const missing = new Map(documents.map((document, index) => [document.id, snapshotAt(index, document, plan)]));
  const total = missing.size;
  const batches = toBatches([...missing.values()], plan.batchSize);
  const work = async () => {
    for (const batch of batches) await storeBatch(batch, plan, (id) => missing.delete(id));
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(plan.concurrency, total) }, work));
  const failure = ends.find((end) => end.status === "rejected");
  if (failure === undefined) return;
  throw new AddDocumentsError({ notStored: [...missing.keys()], total, cause: toTroupeError(failure.reason) });
}

/**
 * Documents that bring their vectors are by themselves: a batch is embedded whole or not at all. A generator, because a
 * loop over it that is left by an error ends it for all others.
 */
function* toBatches(documents: readonly VectorDocument[], size: number): Generator<VectorDocument[]> {
  for (const brings of [true, false]) {
    const group = documents.filter(({ embedding }) => (embedding !== undefined) === brings);
    for (let from = 0; from < group.length; from += size) yield group.slice(from, from + size);
  }
}

/** One document after the other: what is stored when one fails is then known exactly. */
async function storeBatch(batch: VectorDocument[], plan: AddPlan, onStored?: (id: string) => void): Promise<void> {
  for (const document of await withVectors(batch, plan)) {
    await untilAborted(() => plan.store.upsert(document), plan.embedOptions.signal);
    onStored?.(document.id);
  }
}

async function withVectors(batch: VectorDocument[], { embeddings, embedOptions }: AddPlan): Promise<VectorDocument[]> {
  if (batch[0]?.embedding !== undefined) return batch;
  const texts = batch.map(({ content }) => content);
  const vectors = await embedTexts(requireEmbeddings(embeddings), texts, embedOptions);
  return batch.map((document, index) => ({ ...document, embedding: vectors[index] ?? [] }));
}

function snapshotAt(index: number, document: VectorDocument, plan: AddPlan): VectorDocument {
  try {
    return snapshot(document, plan);
  } catch (thrown) {
    const { code, message } = toTroupeError(thrown);
    throw new TroupeError(code, `documents[${index}] cannot be stored. ${message}`, { cause: thrown });
  }
}

/** The document as it was given, whatever becomes of the caller's object, and refused before anything is paid for. */
function snapshot(document: VectorDocument, { embeddings }: AddPlan): VectorDocument {
  const text = copyDocument(document);
  if (document.embedding !== undefined) {
    checkEmbedding(document.embedding);
    return { ...text, embedding: [...document.embedding] };
  }
  requireEmbeddings(embeddings);
  return text;
}
