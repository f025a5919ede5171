import { TroupeError } from "../../base/errors/troupe-error.ts";
import { base64ByteLength } from "../../base/util/base64.ts";
import { readContentData } from "../../base/message/content-data.ts";
import { storedDataReferenceOf } from "../../base/message/stored-data.ts";
import type { DataPart, StoredReference } from "../../base/message/stored-data.ts";
import type { StoredTurn, TurnConversation } from "./turn-record.ts";

/** The bytes of an image, audio or file in a stored turn, delivered piece by piece. */
export type TurnPart = {
  /** The type of the part, or the type detected from its first bytes; `application/octet-stream` if unknown. */
  mimeType: string;
  filename?: string;
  /** Number of bytes of the part. */
  bytes: number;
  /** The bytes of the part. Pieces in the storage are read only while this is iterated. */
  pieces: AsyncIterable<Uint8Array>;
};

/** Number of base64 characters that are decoded at once: a multiple of four. */
const pieceLength = 349_528;

/**
 * Returns the images, audio and files of a turn in order: first in its history, then in its input, then in its
 * messages. A part's index in this array is its number.
 */
export function dataPartsOf({ history = [], input, messages }: TurnConversation): DataPart[] {
  const contents = [...history.map(({ content }) => content), input, ...messages.map(({ content }) => content)];
  return contents.flatMap((content) => (Array.isArray(content) ? content.filter((part) => part.type !== "text") : []));
}

/** Returns the number of bytes in the data of a part; `undefined` for a web address and for invalid data. */
export function countDataBytes(part: DataPart): number | undefined {
  const stored = storedDataReferenceOf(part);
  if (stored !== undefined) return stored.bytes;
  const found = readContentData(part);
  return found.kind === "base64" ? base64ByteLength(found.base64) : undefined;
}

/** Reads a part of a turn by its number. Throws `not_found` if the part is missing or has no data. */
export function readTurnPart(turn: StoredTurn, index: number, read: ReadStored): TurnPart {
  const part = dataPartsOf(turn)[index];
  if (part === undefined) throw partNotFound(turn.seq, index);
  const name = part.type === "file" && part.filename !== undefined && { filename: part.filename };
  const stored = storedDataReferenceOf(part);
  if (stored !== undefined) {
    const { mimeType = "application/octet-stream" } = part;
    return { mimeType, ...name, bytes: stored.bytes, pieces: decodePieces(read(stored)) };
  }
  const found = readContentData(part);
  if (found.kind !== "base64") throw partNotFound(turn.seq, index);
  const { base64, mimeType = "application/octet-stream" } = found;
  return { mimeType, ...name, bytes: base64ByteLength(base64), pieces: decodePieces(cut(base64)) };
}

/** Function that reads the base64 of stored data, piece by piece. */
export type ReadStored = (stored: StoredReference) => AsyncIterable<string>;

/** Makes the `not_found` error for a part that a turn does not have. */
export function partNotFound(seq: number, index: number): TroupeError {
  return new TroupeError("not_found", `Turn ${seq} of the session has no part ${index} with data.`);
}

/** @yields the bytes of pieces of base64, each of whole groups of four characters */
async function* decodePieces(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece, "base64");
}

function* cut(base64: string): Generator<string> {
  for (let at = 0; at < base64.length; at += pieceLength) yield base64.slice(at, at + pieceLength);
}
