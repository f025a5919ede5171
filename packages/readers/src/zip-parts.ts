import { crc32, inflateRawSync } from "node:zlib";

/** A file of a ZIP archive, with its path in the archive. */
export type ZipPart = { readonly name: string; readonly bytes: Uint8Array };

/** The error for a ZIP archive whose parts exceed the limit. */
export class TooLargeError extends Error {}

const [localMark, entryMark, endMark] = [0x04034b50, 0x02014b50, 0x06054b50];
const [localHead, entryHead, endHead] = [30, 46, 22];
/** The maximum length of the comment at the end of the archive. */
const longestComment = 0xffff;

/**
 * Unpacks the parts of a ZIP archive whose names fit. Throws `TooLargeError` as soon as the unpacked parts together
 * exceed the limit. The sizes that the archive states are not trusted. Throws another error for a damaged archive.
 */
export function unpackParts(
  archive: Uint8Array,
  { isWanted, maxBytes }: { isWanted: (name: string) => boolean; maxBytes: number },
): ZipPart[] {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const end = findEnd(bytes);
  const parts = new Map<string, ZipPart>();
  let [at, left] = [bytes.readUInt32LE(end + 16), maxBytes];
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count--) {
    const entry = readEntry(bytes, at);
    at = entry.next;
    if (!isWanted(entry.name)) continue;
    const content = unpack(bytes, entry, left);
    left -= content.byteLength;
    parts.set(entry.name, { name: entry.name, bytes: content });
  }
  return [...parts.values()];
}

function findEnd(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - endHead - longestComment);
  for (let at = bytes.length - endHead; at >= first; at--) if (bytes.readUInt32LE(at) === endMark) return at;
  throw new Error("The archive has no end.");
}

type Entry = { readonly name: string; readonly method: number; readonly size: number; readonly start: number };

function readEntry(bytes: Buffer, at: number): Entry & { readonly next: number } {
  if (bytes.readUInt32LE(at) !== entryMark) throw new Error("The archive has a damaged entry.");
  const nameLength = bytes.readUInt16LE(at + 28);
  const next = at + entryHead + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  return {
    name: bytes.toString("utf8", at + entryHead, at + entryHead + nameLength),
    method: bytes.readUInt16LE(at + 10),
    size: bytes.readUInt32LE(at + 20),
    start: bytes.readUInt32LE(at + 42),
    next,
  };
}

function unpack(bytes: Buffer, { method, size, start }: Entry, maxBytes: number): Uint8Array {
  if (bytes.readUInt32LE(start) !== localMark) throw new Error("The archive has a damaged part.");
  const from = start + localHead + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28);
  const packed = bytes.subarray(from, from + size);
  if (method === 8) return inflate(packed, maxBytes);
  if (method !== 0) throw new Error("The archive has a part in another compression.");
  if (packed.byteLength > maxBytes) throw new TooLargeError();
  return packed;
}

function inflate(packed: Uint8Array, maxBytes: number): Uint8Array {
  try {
    // The limit is at least 1 byte, because zlib does not accept 0.
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") throw new TooLargeError();
    throw error;
  }
}

/** Packs parts into a ZIP archive without compression. */
export function packParts(parts: readonly ZipPart[]): Buffer {
  const [contents, entries]: [Buffer[], Buffer[]] = [[], []];
  let start = 0;
  for (const { name, bytes } of parts) {
    const path = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    // This flag says that the name is UTF-8.
    fields.writeUInt16LE(0x800, 2);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(bytes.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(path.length, 22);
    contents.push(uint32(localMark), fields, path, Buffer.from(bytes));
    const place = Buffer.alloc(14);
    place.writeUInt32LE(start, 10);
    entries.push(uint32(entryMark), Buffer.from([20, 0]), fields, place, path);
    start += localHead + path.length + bytes.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.length, 4);
  end.writeUInt16LE(parts.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(start, 12);
  return Buffer.concat([...contents, directory, uint32(endMark), end]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
