import { TroupeError } from "../errors/troupe-error.ts";
import type { ContentPart, TextPart } from "../message/content.ts";
import { readContentData } from "../message/content-data.ts";
import type { StoredTurn, TurnConversation } from "./turn-record.ts";

/** A part of a message that is an image, a sound or a file. */
export type DataPart = Exclude<ContentPart, TextPart>;

/** The bytes of an image, a sound or a file in a stored turn, which come piece by piece. */
export type TurnPart = {
  /** The type of the part, or of its first bytes; `application/octet-stream` for others. */
  mimeType: string;
  filename?: string;
  /** Number of bytes. */
  bytes: number;
  /** The bytes. Nothing is read before they are. */
  pieces: AsyncIterable<Uint8Array>;
};

/** Characters of base64 that are decoded at once: a multiple of four. */
const pieceLength = 349_528;

/**
 * Returns the images, sounds and files of a turn in order: those of its history, of its input, then of its messages. The
 * index in this array is the number of a part.
 */
export function dataPartsOf({ history = [], input, messages }: TurnConversation): DataPart[] {
  const contents = [...history.map(({ content }) => content), input, ...messages.map(({ content }) => content)];
  return contents.flatMap((content) => (Array.isArray(content) ? content.filter((part) => part.type !== "text") : []));
}

/** Returns the number of bytes in the data of a part, or `undefined` for a web address and for what is no data. */
export function countDataBytes(part: DataPart): number | undefined {
  const found = readContentData(part);
  return found.kind === "base64" ? byteLength(found.base64) : undefined;
}

/** Reads a part of a turn by its number. Throws `not_found` if there is none, or none with data. */
export function readTurnPart(turn: StoredTurn, index: number): TurnPart {
  const part = dataPartsOf(turn)[index];
  const found = part === undefined ? undefined : readContentData(part);
  if (part === undefined || found?.kind !== "base64") throw partNotFound(turn.seq, index);
  return {
    mimeType: found.mimeType ?? "application/octet-stream",
    ...(part.type === "file" && part.filename !== undefined && { filename: part.filename }),
    bytes: byteLength(found.base64),
    pieces: decodePieces(found.base64),
  };
}

/** Makes the `not_found` error for a part that a turn does not have. */
export function partNotFound(seq: number, index: number): TroupeError {
  return new TroupeError("not_found", `Turn ${seq} of the session has no part ${index} with data.`);
}

/** @yields the bytes of base64 */
async function* decodePieces(base64: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < base64.length; at += pieceLength) {
    yield Buffer.from(base64.slice(at, at + pieceLength), "base64");
  }
}

function byteLength(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : Number(base64.endsWith("="));
  return Math.floor(base64.length / 4) * 3 - padding;
}
