import { invalid, readFields, readList, readString } from "./read-fields.ts";
import type { Fields } from "./read-fields.ts";

/** A message of the user: its content as the input of a run, and its place in the request. */
export type Said = { readonly content: string | readonly object[]; readonly place: string };

/** The largest number of parts in a message of the user, the same as in an input. */
const maxParts = 100;

/**
 * Returns the last message of the user; undefined if there is none. Throws `invalid_request` if any message has no role
 * or a wrong content. An earlier message may be empty: a front end keeps it when its request was refused.
 */
export function readSaid(messages: readonly Fields[]): Said | undefined {
  let last: Said | undefined;
  for (const [index, { id, role, content }] of messages.entries()) {
    readString(id, `messages[${index}].id`);
    if (typeof role !== "string") throw invalid(`messages[${index}].role must be a string.`);
    const place = `messages[${index}].content`;
    if (role === "user") last = { content: readContent(content, place), place };
  }
  return last;
}

function readContent(content: unknown, place: string): Said["content"] {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw invalid(`${place} must be a string or an array.`);
  if (content.length > maxParts) throw invalid(`${place} must have at most ${maxParts} parts.`);
  return readList(content, place).flatMap((part, index) => toParts(part, `${place}[${index}]`));
}

/**
 * Converts a part of a message to a part of a run's input. Drops a part that the service cannot use, as the protocol
 * asks.
 */
function toParts(part: Fields, place: string): object[] {
  const { type, source } = part;
  if (typeof type !== "string") throw invalid(`${place}.type must be a string.`);
  const text = readString(part["text"], `${place}.text`);
  if (source !== undefined && source !== null) readFields(source, `${place}.source`);
  if (type === "text") return [{ type, text }];
  if (type === "binary") return binaryParts(part);
  const kind = kinds.get(type);
  if (kind === undefined) return [];
  const { type: form, value: data, mimeType } = readFields(source, `${place}.source`);
  // A file stored at a vendor has a name instead of data, and only that vendor can read it.
  return form === "file" ? [] : [{ type: kind, data, mimeType: orUnknown(mimeType) }];
}

/** The kind of a part of a run's input, by the type of the message's part. */
const kinds: ReadonlyMap<string, "image" | "audio" | "file"> = new Map([
  ["image", "image"],
  ["audio", "audio"],
  ["video", "file"],
  ["document", "file"],
]);

/** Returns the media type of a file. A browser sends an empty string for a file whose type it does not know. */
function orUnknown(mimeType: unknown): unknown {
  return mimeType === undefined || mimeType === null || mimeType === "" ? "application/octet-stream" : mimeType;
}

/** Converts a part as older clients send it, for any kind of file. */
function binaryParts({ mimeType: sent, data, url, filename }: Fields): object[] {
  const mimeType = orUnknown(sent);
  const [, kind] = /^(image|audio)\//.exec(String(mimeType)) ?? [];
  const value = data ?? url;
  if (value === undefined || value === null) return [];
  if (kind !== undefined) return [{ type: kind, data: value, mimeType }];
  return [{ type: "file", data: value, mimeType, ...(typeof filename === "string" && { filename }) }];
}
