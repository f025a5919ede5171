import { TroupeError } from "../base/errors/troupe-error.ts";
import { isRecord } from "../base/util/is-record.ts";
import type { VectorStore } from "./vector/vector-store.ts";
import type { NewDocument } from "./add-documents.ts";
import { documentIdOf } from "./pieces.ts";

/**
 * The reserved metadata field of documents that were stored by a synchronisation: its prefix, the document's hash, and
 * the number of the document's records.
 */
const syncField = "documentSync";

/** Adds the field of a synchronisation to each record of a document. */
export function withSyncMark(document: NewDocument, { prefix, hash }: { prefix: string; hash: string }): NewDocument {
  const mark = { [syncField]: { prefix, hash, records: document.records.length } };
  const records = document.records.map((record) => ({ ...record, metadata: { ...record.metadata, ...mark } }));
  return { ...document, records };
}

/**
 * Returns the hashes of the documents that synchronisations with this prefix have stored, by document id. The hash of a
 * document is "" if it is stored only in part: a store without `write` stores its records one by one.
 */
export async function readSynced(store: VectorStore, prefix: string): Promise<Map<string, string>> {
  if (store.list === undefined) {
    const message =
      "The vector store has no `list`, which sync needs to find what was stored before. Use a store that has it, or addDocuments.";
    throw new TroupeError("invalid_config", message);
  }
  const marks = new Map<string, SyncMark>();
  let after: string | undefined;
  do {
    const { documents, next } = await store.list({ after, ...(prefix !== "" && { prefix }) });
    for (const { id, metadata = {} } of documents) {
      const { [syncField]: synced, documentId } = metadata;
      if (!isRecord(synced) || synced["prefix"] !== prefix) continue;
      const owner = typeof documentId === "string" && documentIdOf(id) === documentId ? documentId : id;
      addRecord(marks, owner, synced);
    }
    after = next;
  } while (after !== undefined);
  return new Map([...marks].map(([id, { hash, missing }]) => [id, missing === 0 ? hash : ""]));
}

/** The mark of a document's records: the hash, and the number of records that are not found yet. */
type SyncMark = { readonly hash: string; missing: number };

function addRecord(marks: Map<string, SyncMark>, id: string, synced: Record<string, unknown>): void {
  const [hash, records] = [String(synced["hash"]), Number(synced["records"] ?? 1)];
  const mark = marks.get(id);
  if (mark === undefined) marks.set(id, { hash, missing: records - 1 });
  // Records of two versions never count as whole.
  else mark.missing = mark.hash === hash ? mark.missing - 1 : Number.NaN;
}
