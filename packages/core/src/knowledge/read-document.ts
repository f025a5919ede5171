import { mapBounded } from "../base/async/map-bounded.ts";
import { sleep } from "../base/async/sleep.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { VectorDocument, VectorStore } from "./vector/vector-store.ts";
import { maxPieces } from "./chunking.ts";
import { joinPieces, pieceId, readPiece } from "./pieces.ts";
import type { StoredPiece } from "./pieces.ts";

/**
 * The number of readings in which the pieces did not fit together although they had not changed. After so many such
 * readings the document counts as damaged.
 */
const damagedReadings = 5;

/**
 * The maximum number of readings of a document that changes during each of them. With a pause before each reading, they
 * take about five seconds.
 */
const maxReadings = 100;

const maxPauseMs = 50;

/** The number of pieces that are read by id at a time. */
const readAtOnce = 8;

/**
 * Returns a document with its embedding, or a document rebuilt from its pieces without an embedding. Returns `null` for
 * an id that no document has, including the id of a piece.
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

/**
 * Reads a document once; `null` if it does not exist. Returns `"changed"` if its pieces changed in the meantime, and
 * `"damaged"` if they did not change and do not fit together.
 */
async function readOnce(store: VectorStore, id: string): Promise<VectorDocument | null | "changed" | "damaged"> {
  const whole = await store.get(id);
  if (whole !== null) return ownDocument(whole);
  const first = await readPieceOf(store, id, 1);
  // After the first `get`, a version that is stored whole may have replaced the pieces.
  if (first === undefined) return ownDocument(await store.get(id));
  const found = joinPieces(await findPieces(store, first));
  if (found !== undefined) return found;
  const pieces = await readPieces(store, first);
  return pieces === undefined ? "changed" : (joinPieces(pieces) ?? "damaged");
}

function ownDocument(document: VectorDocument | null): VectorDocument | null {
  return readPiece(document) === undefined ? document : null;
}

/** Returns the piece of a document with this number; `undefined` if it is missing. */
export async function readPieceOf(
  store: VectorStore,
  documentId: string,
  number: number,
): Promise<StoredPiece | undefined> {
  try {
    const piece = readPiece(await store.get(pieceId(documentId, number)));
    return piece?.documentId === documentId ? piece : undefined;
  } catch (error) {
    // The id of a piece is longer than the id of its document. If it is too long to be stored, the piece does not
    // exist.
    if (TroupeError.is(error) && error.code === "invalid_value") return undefined;
    throw error;
  }
}

/**
 * Finds all pieces of a document with one search, so that they belong to one version of the document. Returns an empty
 * array if some are missing: some databases find new pieces only after a delay.
 */
async function findPieces(store: VectorStore, { documentId, document }: StoredPiece): Promise<StoredPiece[]> {
  if (document.embedding === undefined) return [];
  const found = await store.search(document.embedding, { topK: maxPieces, filter: { documentId } });
  const pieces = found.map((result) => readPiece(result.document)).filter((piece) => piece?.documentId === documentId);
  const sorted = (pieces as StoredPiece[]).toSorted((one, other) => one.number - other.number);
  const next = await readPieceOf(store, documentId, sorted.length + 1);
  return next === undefined ? sorted : [];
}

/**
 * Reads the pieces of a document by id, twice. Pieces of two versions may fit together; pieces that are equal in both
 * readings existed together at the end of the first. Returns `undefined` if the readings differ.
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
