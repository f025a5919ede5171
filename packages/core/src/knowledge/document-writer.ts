import { mapBounded } from "../base/async/map-bounded.ts";
import { untilAborted } from "../base/async/until-aborted.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { checkVectorName } from "./vector/check-document.ts";
import type { VectorDocument, VectorStore } from "./vector/vector-store.ts";
import { documentIdOf, pieceId, readPiece } from "./pieces.ts";
import { readPieceOf } from "./read-document.ts";

/** A document to store: as it is, or as pieces, each with its vector. */
export type DocumentRecords = {
  readonly id: string;
  readonly records: readonly VectorDocument[];
  readonly isSplit: boolean;
};

/** Calls of a store, and the signal that ends them. */
type WriteOptions = { readonly signal?: AbortSignal | undefined; readonly onStored?: (id: string) => void };

/**
 * Stores and deletes documents in a store that has long ones as pieces. A document takes the place of everything that the
 * store had of it, in one step where the store has `write`. Else pieces are stored one after the other before old ones are
 * deleted: after a failure in between a document has pieces of both, until it is stored again.
 *
 * A document and a piece of another never replace each other: they are refused as `conflict`. Two processes that store both
 * for the first time at the same moment may miss it.
 */
export class DocumentWriter {
  readonly #store: VectorStore;
  readonly #hasAnyPieces: boolean;
  readonly #last = new Map<string, Promise<void>>();

  /** `hasPieces`: false for a store in which every document is whole, whatever its metadata are. */
  constructor(store: VectorStore, { hasPieces }: { hasPieces: boolean }) {
    this.#store = store;
    this.#hasAnyPieces = hasPieces;
  }

  /** Stores documents: those that are new, whole and of usual ids together, and others one after the other. */
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

  /** Deletes a document with its pieces. */
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

  /** Stores those documents of which the store has no pieces in one step, and returns them. */
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

  /** Deletes pieces that another writer stored at the same time, or that a store without `write` has left. */
  async #deleteOthers(document: DocumentRecords): Promise<void> {
    const { id, records, isSplit } = document;
    const next = isSplit ? records.length + 1 : 1;
    if (this.#store.write === undefined) return await this.#deletePieces(id, next);
    if (await this.#isPiece(id, next)) await this.#write(document, true);
  }

  // From the last to the first: those that a failure leaves are found by the next call.
  async #deletePieces(id: string, first: number): Promise<void> {
    let end = first;
    while (await this.#isPiece(id, end)) end += 1;
    while (end > first) await this.#store.delete(pieceId(id, --end));
  }

  /** Refuses a new document whose id would be that of a piece. */
  async #refusePieceId(id: string, hasPieces: boolean): Promise<void> {
    const documentId = this.#mayBePiece(id);
    if (documentId === undefined) return;
    const stored = await this.#store.get(id);
    const isOwn = stored === null ? hasPieces : readPiece(stored) === undefined;
    if (isOwn || !(await this.#hasPieces(documentId))) return;
    const message = `The id ${quote(id)} has the form of a piece of the document ${quote(documentId)}, which is split. Choose another id.`;
    throw new TroupeError("conflict", message);
  }

  /** Refuses to split a document when one of its pieces would replace another document. */
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

  /** Returns the id of the document that an id with the form of a piece's would belong to. */
  #mayBePiece(id: string): string | undefined {
    return this.#hasAnyPieces ? documentIdOf(id) : undefined;
  }

  async #isPiece(documentId: string, number: number): Promise<boolean> {
    return this.#hasAnyPieces && (await readPieceOf(this.#store, documentId, number)) !== undefined;
  }

  /** Does work on a document and on those that its pieces might be taken for one after the other. */
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
