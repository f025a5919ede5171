import type { ContentPart, TextPart } from "./content.ts";
import { isRecord } from "../util/is-record.ts";

/** A part of a message that is an image, audio or a file. */
export type DataPart = Exclude<ContentPart, TextPart>;

/**
 * Reference to the data of a part that is stored in pieces beside its turn. It replaces `data`. It contains the values
 * from which the storage keys of the pieces are made, the size of the data, and the number of pieces.
 */
export type StoredReference = {
  /**
   * The turn number in the storage keys of the pieces: the number that the turn was expected to get. The turn has a
   * later number if another process stored a turn first.
   */
  seq: number;
  /** The index of the part among the images, audio and files of its turn. */
  index: number;
  /** An id unique to this write, so that pieces of different writes are never mixed. */
  id: string;
  /** Number of bytes of the stored data. */
  bytes: number;
  /** Number of pieces in which the data is stored. */
  pieces: number;
  /**
   * The storage key of the session under which the pieces of the data are stored, if the turn came from another
   * session. This field is never stored.
   */
  session?: string;
};

/** Returns the reference of a part whose data is stored in pieces; `undefined` for a part that contains its data. */
export function storedDataReferenceOf(part: ContentPart): StoredReference | undefined {
  const { stored, data } = part as { stored?: StoredReference; data?: string };
  // A caller may send a part with data and an unknown field `stored`, which is ignored.
  return data === undefined ? stored : undefined;
}

/** Returns true if a value is an image, audio or file part with a reference instead of its data. */
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
