import { mapBounded } from "../base/async/map-bounded.ts";
import { sleep } from "../base/async/sleep.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { VectorDocument, VectorStore } from "./vector/vector-store.ts";
import { maxPieces } from "./chunking.ts";
import { joinPieces, pieceId, readPiece } from "./pieces.ts";
import type { StoredPiece } from "./pieces.ts";

/** Readings with pieces that do not fit together and stay so, after which the document counts as damaged. */
const damagedReadings = 5;

/** Readings of a document that others replace all the time. With a pause before each, they take about five seconds. */
const maxReadings = 100;

const maxPauseMs = 50;

/** Pieces that are read by their ids at a time. */
const readAtOnce = 8;

/**
 * Returns a document with its embedding, or one that is stored as pieces, rebuilt and without one. `null` is returned for an
 * id that no document has, and so for that of a piece.
 */
export async function readDocument(store: VectorStore, id: string): Promise<VectorDocument | null> {
  let damaged = 0;
  for (let reading = 0; reading < maxReadings && damaged < damagedReadings; reading++) {
    if (reading > 0) await sleep(Math.min(2 ** reading, maxPauseMs));
    const document = await readOnce(store, id);
    if (typeof document !== "string") return document;
    if (document === "damaged") damaged += 1;
  }
  const pieces = `The pieces of the document ${JSON.stringify(id.slice(0, 64))}`;
  throw damaged < damagedReadings
    ? new TroupeError("conflict", `${pieces} are being replaced again and again. Try again later.`)
    : new TroupeError("storage_corrupt", `${pieces} do not fit together: it was replaced only in part. Add it again.`);
}

/** Returns the document, or why there is none: its pieces have changed meanwhile, or they stay the same and do not fit together. */
async function readOnce(store: VectorStore, id: string): Promise<VectorDocument | null | "changed" | "damaged"> {
  const whole = await store.get(id);
  if (whole !== null) return ownDocument(whole);
  const first = await readPieceOf(store, id, 1);
  // It may have become a whole document since.
  if (first === undefined) return ownDocument(await store.get(id));
  const found = joinPieces(await findPieces(store, first));
  if (found !== undefined) return found;
  const pieces = await readPieces(store, first);
  return pieces === undefined ? "changed" : (joinPieces(pieces) ?? "damaged");
}

function ownDocument(document: VectorDocument | null): VectorDocument | null {
  return readPiece(document) === undefined ? document : null;
}

/** Returns the piece of a document with this number, or `undefined`. */
export async function readPieceOf(
  store: VectorStore,
  documentId: string,
  number: number,
): Promise<StoredPiece | undefined> {
  try {
    const piece = readPiece(await store.get(pieceId(documentId, number)));
    return piece?.documentId === documentId ? piece : undefined;
  } catch (error) {
    // The id of a piece is longer than that of its document, and may be too long.
    if (TroupeError.is(error) && error.code === "invalid_value") return undefined;
    throw error;
  }
}

/** Finds the pieces in one step: all of one version of the document. Some databases find new ones only after a while. */
async function findPieces(store: VectorStore, { documentId, document }: StoredPiece): Promise<StoredPiece[]> {
  if (document.embedding === undefined) return [];
  const found = await store.search(document.embedding, { topK: maxPieces, filter: { documentId } });
  const pieces = found.map((result) => readPiece(result.document)).filter((piece) => piece?.documentId === documentId);
  const sorted = (pieces as StoredPiece[]).toSorted((one, other) => one.number - other.number);
  const next = await readPieceOf(store, documentId, sorted.length + 1);
  return next === undefined ? sorted : [];
}

/**
 * Reads the pieces by their ids, twice: pieces of two versions may fit together, and what is the same both times was there
 * at the end of the first time. Returns `undefined` when they differ.
 */
async function readPieces(store: VectorStore, first: StoredPiece): Promise<StoredPiece[] | undefined> {
  const pieces = await readPiecesOnce(store, first);
  const again = await readPiecesOnce(store, first);
  const isUnchanged = pieces.length === again.length && pieces.every((piece, index) => isSame(piece, again[index]));
  return isUnchanged ? pieces : undefined;
}

function isSame(piece: StoredPiece, other: StoredPiece | undefined): boolean {
  return piece.start === other?.start && piece.document.content === other.document.content;
}

async function readPiecesOnce(store: VectorStore, { documentId }: StoredPiece): Promise<StoredPiece[]> {
  const pieces: StoredPiece[] = [];
  for (;;) {
    const numbers = Array.from({ length: readAtOnce }, (_, index) => pieces.length + index + 1);
    const read = await mapBounded(numbers, async (number) => await readPieceOf(store, documentId, number));
    for (const piece of read) {
      if (piece === undefined) return pieces;
      pieces.push(piece);
    }
  }
}
