import { mapBounded } from "../base/async/map-bounded.ts";
import { untilAborted } from "../base/async/until-aborted.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { checkVectorName } from "./vector/check-document.ts";
import type { VectorDocument, VectorStore } from "./vector/vector-store.ts";
import { documentIdOf, pieceId, readPiece } from "./pieces.ts";
import { readPieceOf } from "./read-document.ts";

/** A document to store, whole or as pieces, each with its vector. */
export type DocumentRecords = {
  readonly id: string;
  readonly records: readonly VectorDocument[];
  readonly isSplit: boolean;
};

/**
 * Options of `DocumentWriter.store`: a signal that ends it, and a function that is called with the id of each stored
 * document.
 */
type WriteOptions = { readonly signal?: AbortSignal | undefined; readonly onStored?: (id: string) => void };

/**
 * Stores and deletes documents in a store that holds long documents as pieces. A document replaces everything stored
 * under its id, in one step if the store has `write`. Otherwise pieces are stored one by one before old pieces are
 * deleted; a failure in between leaves old and new pieces mixed until the document is stored again.
 *
 * A document and a piece of another document never replace each other: such a write is rejected as `conflict`. Two
 * processes that store both for the first time at the same moment may miss the conflict.
 */
export class DocumentWriter {
  readonly #store: VectorStore;
  readonly #hasAnyPieces: boolean;
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Makes a writer for a store. With `hasPieces` false, no document in the store counts as a piece of a longer
   * document, whatever its metadata.
   */
  constructor(store: VectorStore, { hasPieces }: { hasPieces: boolean }) {
    this.#store = store;
    this.#hasAnyPieces = hasPieces;
  }

  /**
   * Stores documents. Documents that are not split, have no stored pieces, and whose ids do not have the form of a
   * piece id are stored together. The others are stored one after the other.
   */
  async store(documents: readonly DocumentRecords[], { signal, onStored }: WriteOptions = {}): Promise<void> {
    const isUsual = ({ id, isSplit }: DocumentRecords) => !isSplit && this.#mayBePiece(id) === undefined;
    const usual = this.#store.write === undefined ? [] : documents.filter(isUsual);
    const stored = await untilAborted(async () => await this.#storeNew(usual, signal), signal);
    for (const { id } of stored) onStored?.(id);
    for (const document of documents) {
      if (stored.has(document)) continue;
      await untilAborted(async () => await this.#inTurn(document.id, () => this.#replace(document, signal)), signal);
      onStored?.(document.id);
    }
  }

  /** Deletes a document with its pieces from the store. Throws `conflict` for the id of a piece. */
  async delete(id: string): Promise<void> {
    checkVectorName("document id", id);
    await this.#inTurn(id, async () => {
      const documentId = this.#mayBePiece(id);
      if (documentId !== undefined && readPiece(await this.#store.get(id)) !== undefined) {
        const message = `${quote(id)} is a piece of the document ${quote(documentId)}. Delete the document by its own id.`;
        throw new TroupeError("conflict", message);
      }
      if (this.#store.write !== undefined && (await this.#hasPieces(id))) {
        return await this.#store.write({ delete: [id], deleteWhere: { documentId: id } });
      }
      await this.#store.delete(id);
      await this.#deletePieces(id, 1);
    });
  }

  /** Stores, in one step, the documents that have no stored pieces, and returns them. */
  async #storeNew(documents: readonly DocumentRecords[], signal?: AbortSignal): Promise<Set<DocumentRecords>> {
    const flags = await mapBounded(documents, async ({ id }) => await this.#hasPieces(id));
    const fresh = documents.filter((_, index) => flags[index] === false);
    if (fresh.length === 0) return new Set();
    signal?.throwIfAborted();
    await this.#store.write?.({ upsert: fresh.flatMap(({ records }) => records) });
    await mapBounded(fresh, async (document) => await this.#deleteOthers(document));
    return new Set(fresh);
  }

  async #replace(document: DocumentRecords, signal?: AbortSignal): Promise<void> {
    const { id, isSplit } = document;
    const hadPieces = await this.#hasPieces(id);
    await this.#refusePieceId(id, hadPieces);
    if (isSplit) await this.#refuseTakenIds(document);
    signal?.throwIfAborted();
    await this.#write(document, hadPieces);
    if (!hadPieces || this.#store.write === undefined) await this.#deleteOthers(document);
  }

  async #write({ id, records, isSplit }: DocumentRecords, hadPieces: boolean): Promise<void> {
    if (this.#store.write !== undefined) {
      const deleteWhere = hadPieces && { deleteWhere: { documentId: id } };
      return await this.#store.write({ upsert: records, delete: isSplit ? [id] : [], ...deleteWhere });
    }
    for (const record of records) await this.#store.upsert(record);
    if (isSplit) await this.#store.delete(id);
  }

  /**
   * Deletes pieces of a document that a concurrent writer stored, or that remain of its earlier version in a store
   * without `write`.
   */
  async #deleteOthers(document: DocumentRecords): Promise<void> {
    const { id, records, isSplit } = document;
    const next = isSplit ? records.length + 1 : 1;
    if (this.#store.write === undefined) return await this.#deletePieces(id, next);
    if (await this.#isPiece(id, next)) await this.#write(document, true);
  }

  // Deletes the pieces of a document from a number on, starting with the last piece. If this fails in between, the
  // remaining pieces have no gap, so the next call, which counts up from that number, finds all of them.
  async #deletePieces(id: string, first: number): Promise<void> {
    let end = first;
    while (await this.#isPiece(id, end)) end += 1;
    while (end > first) await this.#store.delete(pieceId(id, --end));
  }

  /** Rejects a new document whose id is also the id of a piece of another document. */
  async #refusePieceId(id: string, hasPieces: boolean): Promise<void> {
    const documentId = this.#mayBePiece(id);
    if (documentId === undefined) return;
    const stored = await this.#store.get(id);
    const isOwn = stored === null ? hasPieces : readPiece(stored) === undefined;
    if (isOwn || !(await this.#hasPieces(documentId))) return;
    const message = `The id ${quote(id)} has the form of a piece of the document ${quote(documentId)}, which is split. Choose another id.`;
    throw new TroupeError("conflict", message);
  }

  /** Rejects splitting a document if one of its pieces would replace another document. */
  async #refuseTakenIds({ id, records }: DocumentRecords): Promise<void> {
    await mapBounded(records, async (record) => {
      const stored = await this.#store.get(record.id);
      if (readPiece(stored)?.documentId === id) return;
      if (stored === null && !(await this.#hasPieces(record.id))) return;
      const message = `The document ${quote(id)} has to be split, but the id of its piece ${quote(record.id)} is that of another document. Rename one of them.`;
      throw new TroupeError("conflict", message);
    });
  }

  async #hasPieces(id: string): Promise<boolean> {
    return await this.#isPiece(id, 1);
  }

  /**
   * Returns the id of the document that a piece with this id would belong to; `undefined` if the id does not have the
   * form of a piece id.
   */
  #mayBePiece(id: string): string | undefined {
    return this.#hasAnyPieces ? documentIdOf(id) : undefined;
  }

  async #isPiece(documentId: string, number: number): Promise<boolean> {
    return this.#hasAnyPieces && (await readPieceOf(this.#store, documentId, number)) !== undefined;
  }

  /**
   * Runs work on a document after all earlier work on it, and on documents whose ids could equal those of its pieces.
   */
  async #inTurn(id: string, work: () => Promise<void>): Promise<void> {
    const key = id.replace(/(?:#\d+)+$/, "");
    const before = this.#last.get(key);
    const turn = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, turn);
    try {
      await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}

function quote(id: string): string {
  return JSON.stringify(id.slice(0, 64));
}
