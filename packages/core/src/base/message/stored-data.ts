import type { ContentPart, TextPart } from "./content.ts";
import { isRecord } from "../util/is-record.ts";

/** A part of a message that is an image, a sound or a file. */
export type DataPart = Exclude<ContentPart, TextPart>;

/**
 * Reference to the data of a part which is stored in pieces beside its turn, in the place of `data`: the first parts of
 * the keys of its pieces, and their size.
 */
export type StoredData = {
  /** The number of the turn under which the pieces are stored: the turn's own, unless another process came between. */
  seq: number;
  /** The number of the part among the images, sounds and files of its turn. */
  index: number;
  /** An id of this write alone, so that no piece of another is ever taken for one of these. */
  id: string;
  /** Number of bytes. */
  bytes: number;
  /** Number of pieces. */
  pieces: number;
};

/** Returns the reference of a part whose data is stored in pieces, or `undefined` for one that has its data. */
export function storedDataOf(part: ContentPart): StoredData | undefined {
  const { stored, data } = part as { stored?: StoredData; data?: string };
  // A caller may send fields that are not ours.
  return data === undefined ? stored : undefined;
}

/** Tells if a value has the form of an image, a sound or a file with a reference in the place of its data. */
export function isStoredPart(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value["stored"]) || value["data"] !== undefined) return false;
  const { seq, index, bytes, pieces, id } = value["stored"];
  const counts = [seq, index, bytes, pieces];
  return (
    ["image", "audio", "file"].includes(value["type"] as string) &&
    counts.every((count) => Number.isSafeInteger(count) && (count as number) >= 0) &&
    typeof id === "string"
  );
}
