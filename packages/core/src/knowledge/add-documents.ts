import { toTroupeError } from "../errors/to-troupe-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { untilAborted } from "../async/until-aborted.ts";
import { checkEmbedding, copyDocument } from "../vector/check-document.ts";
import type { EmbeddingProvider, EmbedOptions } from "../vector/embedding-provider.ts";
import type { VectorDocument, VectorStore } from "../vector/vector-store.ts";
import { AddDocumentsError } from "./add-documents-error.ts";
import { askForVectors, requireEmbeddings } from "./ask-for-vectors.ts";

/**
 * Settings of a knowledge base for `addDocument` and `addDocuments`: the vector store, the embeddings with the options of
 * their calls, and the size and number of batches.
 */
export type AddDocumentsSettings = {
  store: VectorStore;
  embeddings: EmbeddingProvider | undefined;
  embedOptions: EmbedOptions;
  /** The number of texts in one embedding call. */
  batchSize: number;
  /** The number of batches that are processed at once. */
  concurrency: number;
};

/** Stores one document with its vector, which is made by the embeddings if the document has none. */
export async function addDocument(document: VectorDocument, plan: AddDocumentsSettings): Promise<void> {
  await storeBatch([snapshot(document, plan)], plan);
}

/**
 * Stores documents with their vectors, made by the embeddings where a document has none. Of several with one id the
 * last counts. After a failure no further batch is started, those under way are finished, and an `AddDocumentsError`
 * lists the documents that are not stored.
 */
export async function addDocuments(documents: readonly VectorDocument[], plan: AddDocumentsSettings): Promise<void> {
  const missing = new Map(documents.map((document, index) => [document.id, snapshotAt(index, document, plan)]));
  const total = missing.size;
  const batches = toBatches([...missing.values()], plan.batchSize);
  const work = async () => {
    for (const batch of batches) await storeBatch(batch, plan, (id) => missing.delete(id));
  };
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(plan.concurrency, total) }, work));
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure === undefined) return;
  throw new AddDocumentsError({ notStored: [...missing.keys()], total, cause: toTroupeError(failure.reason) });
}

/**
 * Splits documents into batches that are embedded whole or not at all: those with a vector are apart. A generator, because
 * an error in one of the loops over it ends it for all.
 */
function* toBatches(documents: readonly VectorDocument[], size: number): Generator<VectorDocument[]> {
  for (const hasVector of [true, false]) {
    const group = documents.filter(({ embedding }) => (embedding !== undefined) === hasVector);
    for (let from = 0; from < group.length; from += size) yield group.slice(from, from + size);
  }
}

// One document after the other, so that it is known exactly which are stored when one fails.
async function storeBatch(
  batch: VectorDocument[],
  plan: AddDocumentsSettings,
  onStored?: (id: string) => void,
): Promise<void> {
  for (const document of await withVectors(batch, plan)) {
    await untilAborted(() => plan.store.upsert(document), plan.embedOptions.signal);
    onStored?.(document.id);
  }
}

async function withVectors(
  batch: VectorDocument[],
  { embeddings, embedOptions }: AddDocumentsSettings,
): Promise<VectorDocument[]> {
  if (batch[0]?.embedding !== undefined) return batch;
  const texts = batch.map(({ content }) => content);
  const vectors = await askForVectors(requireEmbeddings(embeddings), texts, embedOptions);
  return batch.map((document, index) => ({ ...document, embedding: vectors[index] ?? [] }));
}

function snapshotAt(index: number, document: VectorDocument, plan: AddDocumentsSettings): VectorDocument {
  try {
    return snapshot(document, plan);
  } catch (thrown) {
    const { code, message } = toTroupeError(thrown);
    throw new TroupeError(code, `documents[${index}] cannot be stored. ${message}`, { cause: thrown });
  }
}

// A copy, because the caller may change its object. Made first, so that a bad document costs no embedding.
function snapshot(document: VectorDocument, { embeddings }: AddDocumentsSettings): VectorDocument {
  const text = copyDocument(document);
  if (document.embedding !== undefined) {
    checkEmbedding(document.embedding);
    return { ...text, embedding: [...document.embedding] };
  }
  requireEmbeddings(embeddings);
  return text;
}
