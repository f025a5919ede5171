import { toTroupeError } from "../base/errors/to-troupe-error.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { Telemetry } from "../base/telemetry/telemetry.ts";
import { checkEmbedding, copyDocument } from "./vector/check-document.ts";
import type { EmbeddingProvider, EmbedOptions } from "./vector/embedding-provider.ts";
import { searchedText } from "./vector/text/searched-text.ts";
import type { VectorDocument } from "./vector/vector-store.ts";
import { AddDocumentsError } from "./add-documents-error.ts";
import { askForVectors, requireEmbeddings } from "./ask-for-vectors.ts";
import type { Splitter } from "./chunking.ts";
import type { DocumentRecords, DocumentWriter } from "./document-writer.ts";
import type { EmbeddingModelCheck } from "./embedding-model-check.ts";
import { documentIdOf, refusePlace, toPieces } from "./pieces.ts";
import type { DocumentPosition } from "./pieces.ts";

/**
 * Settings of a knowledge base for `addDocument` and `addDocuments`: the store, the embeddings with their call options,
 * the size and number of batches, and the splitter of long documents.
 */
export type AddDocumentsSettings = {
  writer: DocumentWriter;
  embeddings: EmbeddingProvider | undefined;
  embedOptions: EmbedOptions;
  modelCheck: EmbeddingModelCheck;
  telemetry: Telemetry | undefined;
  /** Splits long documents. Without it every document is stored whole. */
  split: Splitter | undefined;
  /** The number of texts in one embedding call. */
  batchSize: number;
  /** The maximum number of batches that are processed at once. */
  concurrency: number;
};

/**
 * A document that is being stored: its records, and the number of records without a vector. A stored document has no
 * records any more.
 */
export type NewDocument = Omit<DocumentRecords, "records"> & { records: readonly VectorDocument[]; missing: number };

/**
 * One part of the work: documents that already have their vectors, or records of several documents that get their
 * vectors in one call.
 */
type Batch = { readonly whole: NewDocument[] } | { readonly texts: NewRecord[] };
type NewRecord = { readonly owner: NewDocument; readonly record: VectorDocument };

/** The maximum number of characters stored in one step, for documents that already have vectors. */
const mostCharacters = 2 ** 20;

/** Stores one document with its vectors. The embeddings make the vectors if the document has no vectors. */
export async function addDocument(document: VectorDocument, plan: AddDocumentsSettings): Promise<void> {
  const failure = await storeAll([prepareDocument(document, plan)], plan);
  if (failure !== undefined) throw failure.reason;
}

/**
 * Stores documents with their vectors; the embeddings make missing vectors. If several documents share an id, the last
 * is stored. After a failure no further batches start, running batches finish, and an `AddDocumentsError` lists the
 * documents that are not stored.
 */
export async function addDocuments(documents: readonly VectorDocument[], plan: AddDocumentsSettings): Promise<void> {
  const missing = new Map(documents.map((document, index) => [document.id, prepareAt(index, document, plan)]));
  const total = missing.size;
  for (const { id } of missing.values()) refusePieceOf(missing, id);
  const failure = await storeAll([...missing.values()], plan, (id) => missing.delete(id));
  if (failure === undefined) return;
  throw new AddDocumentsError({ notStored: [...missing.keys()], total, cause: toTroupeError(failure.reason) });
}

/** Stores documents in batches and returns the first failure; undefined if there is none. */
export async function storeAll(
  documents: readonly NewDocument[],
  plan: AddDocumentsSettings,
  onStored?: (id: string) => void,
): Promise<PromiseRejectedResult | undefined> {
  const { writer, concurrency } = plan;
  const batches = toBatches(documents, plan.batchSize);
  const work = async () => {
    for (const batch of batches) {
      const ready = "whole" in batch ? batch.whole : await embed(batch.texts, plan);
      await writer.store(ready, { signal: plan.embedOptions.signal, ...(onStored && { onStored }) });
      // Otherwise a call with many documents would keep the vectors of all of them in memory until its end.
      for (const document of ready) document.records = [];
    }
  };
  const workers = Math.min(concurrency, countRecords(documents));
  const outcomes = await Promise.allSettled(Array.from({ length: workers }, work));
  return outcomes.find((outcome) => outcome.status === "rejected");
}

/**
 * Divides the work into batches. Records of many short documents share one embedding call; the records of a long
 * document take several calls. It is a generator, because several loops read from it: an error in one loop closes it
 * for all of them.
 */
function* toBatches(documents: readonly NewDocument[], size: number): Generator<Batch> {
  let whole: NewDocument[] = [];
  let characters = 0;
  for (const document of documents) {
    if (document.missing > 0) continue;
    const { length } = document.records[0]?.content ?? "";
    if (whole.length > 0 && (whole.length === size || characters + length > mostCharacters)) {
      yield { whole };
      [whole, characters] = [[], 0];
    }
    whole.push(document);
    characters += length;
  }
  if (whole.length > 0) yield { whole };
  yield* toTextBatches(
    documents.filter(({ missing }) => missing > 0),
    size,
  );
}

/** Refers to the records of one batch only, because stored records are dropped. */
function* toTextBatches(owners: readonly NewDocument[], size: number): Generator<Batch> {
  let texts: NewRecord[] = [];
  for (const owner of owners) {
    for (const record of owner.records) {
      texts.push({ owner, record });
      if (texts.length < size) continue;
      yield { texts };
      texts = [];
    }
  }
  if (texts.length > 0) yield { texts };
}

function countRecords(documents: readonly NewDocument[]): number {
  return documents.reduce((sum, { records }) => sum + records.length, 0);
}

/** Makes the vectors of records with one embedding call, and returns the documents whose vectors are now complete. */
async function embed(batch: readonly NewRecord[], plan: AddDocumentsSettings): Promise<NewDocument[]> {
  const { embedOptions, modelCheck } = plan;
  const embeddings = requireEmbeddings(plan.embeddings);
  const texts = batch.map(({ record }) => searchedText(record));
  const vectors = await askForVectors(embeddings, texts, { ...embedOptions, telemetry: plan.telemetry });
  await modelCheck.check(embeddings, embedOptions.signal);
  for (const [index, { owner, record }] of batch.entries()) {
    record.embedding = vectors[index] ?? [];
    owner.missing -= 1;
  }
  return [...new Set(batch.map(({ owner }) => owner))].filter(({ missing }) => missing === 0);
}

function prepareAt(index: number, document: VectorDocument, plan: AddDocumentsSettings): NewDocument {
  try {
    return prepareDocument(document, plan);
  } catch (thrown) {
    const { code, message } = toTroupeError(thrown);
    throw new TroupeError(code, `documents[${index}] cannot be stored. ${message}`, { cause: thrown });
  }
}

/**
 * Makes the records of a document to add. They are copies, because the caller may change its object. Called before any
 * embedding, so that an invalid document costs nothing.
 */
export function prepareDocument(
  document: VectorDocument,
  { embeddings, split }: Pick<AddDocumentsSettings, "embeddings" | "split">,
  places?: readonly DocumentPosition[],
): NewDocument {
  const text = copyDocument(document);
  const { id } = text;
  if (split !== undefined) refusePlace(text);
  if (document.embedding !== undefined) {
    checkEmbedding(document.embedding);
    return { id, records: [{ ...text, embedding: [...document.embedding] }], isSplit: false, missing: 0 };
  }
  requireEmbeddings(embeddings);
  const ranges = split?.(text.content);
  if (ranges === undefined) return { id, records: [text], isSplit: false, missing: 1 };
  return { id, records: toPieces(text, ranges, places), isSplit: true, missing: ranges.length };
}

/** Rejects a document whose id is also the id of a piece of another document in the same call. */
function refusePieceOf(documents: ReadonlyMap<string, NewDocument>, id: string): void {
  const documentId = documentIdOf(id);
  if (documentId === undefined || documents.get(documentId)?.isSplit !== true) return;
  const message = `The id ${JSON.stringify(id)} has the form of a piece of the document ${JSON.stringify(documentId)}, which is split. Choose another id.`;
  throw new TroupeError("conflict", message);
}
