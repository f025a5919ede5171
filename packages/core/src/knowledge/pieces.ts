import { TroupeError } from "../base/errors/troupe-error.ts";
import { copyDocument } from "./vector/check-document.ts";
import type { DocumentFields } from "./vector/check-document.ts";
import type { VectorDocument } from "./vector/vector-store.ts";
import type { TextRange } from "./split-text.ts";
import { lastBefore, TextStructure } from "./text-structure.ts";

/** The position of a piece in its document: the document's id, and offsets in UTF-16 code units of the content. */
type PiecePlace = TextRange & { readonly documentId: string };

/** A stored piece with its number, counted from 1, and its position. */
export type StoredPiece = PiecePlace & { readonly number: number; readonly document: VectorDocument };

/** Metadata fields that a piece has and its document does not have. */
const placeFields = ["documentId", "start", "end", "documentPlace"] as const;

/**
 * The beginning of a page, or of rows, in the content of a document: an offset in UTF-16 code units, and the number of
 * the page or the first row.
 */
export type DocumentPosition = { readonly start: number; readonly page?: number; readonly row?: number };

/** Returns the id of a piece. The first piece has the number 1. */
export function pieceId(documentId: string, number: number): string {
  return `${documentId}#${number}`;
}

/** Returns the id of the document in an id that has the form of a piece's id; `undefined` for other ids. */
export function documentIdOf(id: string): string | undefined {
  return /^(.+)#[1-9]\d*$/s.exec(id)?.[1];
}

/**
 * Makes the pieces of a document. `documentPlace` of their metadata has the headings above each piece, and the page and
 * rows if their places are given. Throws if the document cannot be stored as pieces.
 */
export function toPieces(
  { id, content, metadata = {} }: DocumentFields,
  ranges: readonly TextRange[],
  places: readonly DocumentPosition[] = [],
): DocumentFields[] {
  for (const name of placeFields) {
    if (Object.hasOwn(metadata, name)) throw refuseField(name, "the pieces of the document");
  }
  const structure = new TextStructure(content);
  const ordered = places.toSorted((one, other) => one.start - other.start);
  const pieces = ranges.map(({ start, end }, index) => {
    // The page and the headings are taken after the overlap: the text repeated from the previous piece may belong to
    // another section.
    const own = Math.min(Math.max(start, ranges[index - 1]?.end ?? 0), end - 1);
    const place = { ...placeAt(ordered, own, end), ...headingsAt(structure, own) };
    const documentPlace = Object.keys(place).length > 0 && { documentPlace: place };
    return {
      id: pieceId(id, index + 1),
      content: content.slice(start, end),
      metadata: { ...metadata, documentId: id, start, end, ...documentPlace },
    };
  });
  checkLongest(pieces.at(-1));
  return pieces;
}

function headingsAt(structure: TextStructure, index: number): { headings?: string } {
  const headings = structure.headingsAt(index);
  return headings === "" ? {} : { headings };
}

/**
 * Returns the page on which a text begins, and the rows of the text. The text lies between two indexes of the document.
 */
function placeAt(places: readonly DocumentPosition[], index: number, end: number): { page?: number; rows?: string } {
  const at = lastBefore(places, index + 1);
  if (at === undefined) return {};
  const { page, row } = at;
  const last = lastBefore(places, end)?.row ?? row;
  return {
    ...(page !== undefined && { page }),
    ...(row !== undefined && { rows: last === row ? `${row}` : `${row} to ${last}` }),
  };
}

// Only the last piece of a document is checked, because its id and metadata are the longest and there may be thousands
// of pieces.
function checkLongest(piece: DocumentFields | undefined): void {
  if (piece === undefined) return;
  try {
    copyDocument({ ...piece, content: "" });
  } catch (cause) {
    const { message } = cause as Error;
    throw new TroupeError(
      "invalid_value",
      `The document is too long to be stored whole, and its pieces cannot be stored. ${message}`,
      { cause },
    );
  }
}

/** Rejects metadata of a whole document that would make it look like a piece. */
export function refusePlace({ metadata }: DocumentFields): void {
  if (metadata !== undefined && Object.hasOwn(metadata, "documentId"))
    throw refuseField("documentId", "pieces of documents");
}

function refuseField(name: string, owner: string): TroupeError {
  const message = `metadata.${name} is reserved for ${owner}. Choose another name for the field, or set \`chunking: false\`.`;
  return new TroupeError("invalid_value", message);
}

/** Returns the position and number of a stored document that is a piece; `undefined` for other documents. */
export function readPiece(document: VectorDocument | null): StoredPiece | undefined {
  const { documentId, start, end } = document?.metadata ?? {};
  if (document === null || typeof documentId !== "string" || !isOffset(start) || !isOffset(end)) return undefined;
  if (documentIdOf(document.id) !== documentId) return undefined;
  return { documentId, start, end, number: Number(document.id.slice(documentId.length + 1)), document };
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Rebuilds a document from its ordered pieces; `undefined` if they do not fit together. */
export function joinPieces(pieces: readonly StoredPiece[]): VectorDocument | undefined {
  const parts: string[] = [];
  let last: StoredPiece | undefined;
  for (const piece of pieces) {
    const part = partAfter(last, piece);
    if (part === undefined) return undefined;
    parts.push(part);
    last = piece;
  }
  if (last === undefined) return undefined;
  const own = Object.entries(last.document.metadata ?? {}).filter(([name]) => !placeFields.includes(name as never));
  const metadata = own.length > 0 && { metadata: Object.fromEntries(own) };
  return { id: last.documentId, content: parts.join(""), ...metadata };
}

/**
 * Returns the part of a piece's text that does not repeat the previous piece; `undefined` for pieces of different
 * documents.
 */
function partAfter(last: StoredPiece | undefined, { number, start, end, document }: StoredPiece): string | undefined {
  const { content } = document;
  if (content.length !== end - start) return undefined;
  if (last === undefined) return number === 1 && start === 0 ? content : undefined;
  if (number !== last.number + 1 || start < last.start || start > last.end) return undefined;
  const repeated = last.document.content.slice(start - last.start);
  return content.startsWith(repeated) ? content.slice(repeated.length) : undefined;
}
