import { TroupeError } from "../base/errors/troupe-error.ts";
import { isRecord } from "../base/util/is-record.ts";
import type { VectorStore } from "./vector/vector-store.ts";
import { documentIdOf } from "./pieces.ts";

/**
 * The reserved metadata field of documents that were stored by a synchronisation: its prefix, and the document's
 * hash.
 */
export const syncField = "documentSync";

/** Returns the hashes of the documents that synchronisations with this prefix have stored, by document id. */
export async function readSynced(store: VectorStore, prefix: string): Promise<Map<string, string>> {
  if (store.list === undefined) {
    const message =
      "The vector store has no `list`, which sync needs to find what was stored before. Use a store that has it, or addDocuments.";
    throw new TroupeError("invalid_config", message);
  }
  const hashes = new Map<string, string>();
  let after: string | undefined;
  do {
    const { documents, next } = await store.list({ after, ...(prefix !== "" && { prefix }) });
    for (const { id, metadata = {} } of documents) {
      const { [syncField]: synced, documentId } = metadata;
      if (!isRecord(synced) || synced["prefix"] !== prefix) continue;
      const owner = typeof documentId === "string" && documentIdOf(id) === documentId ? documentId : id;
      hashes.set(owner, String(synced["hash"]));
    }
    after = next;
  } while (after !== undefined);
  return hashes;
}
