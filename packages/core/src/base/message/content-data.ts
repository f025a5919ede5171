import { isTidyBase64 } from "../util/base64.ts";

/** Result of `readContentData`: plain base64, a URL to fetch, or the reason why the data of a part cannot be used. */
export type ContentData =
  | { kind: "base64"; base64: string; mimeType?: string }
  | { kind: "url"; url: string; mimeType?: string }
  | { kind: "invalid"; reason: string };

type EncodedPart = { data: string; mimeType?: string };

/**
 * Reads the `data` of a part: base64, a `data:` URL or an `http(s)` URL. Any other value returns `invalid` rather than
 * throwing. The MIME type is taken from the part, or else from the `data:` URL, or else detected from the first bytes
 * of base64. Fetches nothing.
 */
export function readContentData({ data, mimeType }: EncodedPart): ContentData {
  if (/^data:/i.test(data)) return readDataUrl(data, mimeType);
  if (/^https?:\/\//i.test(data)) return readWebUrl(data, mimeType);
  return readBase64(data, mimeType);
}

function readWebUrl(text: string, mimeType: string | undefined): ContentData {
  const url = URL.parse(text);
  if (url === null) return { kind: "invalid", reason: "is not a valid URL" };
  if (url.username !== "" || url.password !== "") return { kind: "invalid", reason: "must not hold credentials" };
  return withMimeType({ kind: "url", url: url.href }, mimeType);
}

function readDataUrl(text: string, mimeType: string | undefined): ContentData {
  const comma = text.indexOf(",");
  if (comma === -1) return { kind: "invalid", reason: "is a data: URL without a comma" };
  const [named = "", ...parameters] = text.slice("data:".length, comma).split(";");
  const type = mimeType ?? (named.trim().toLowerCase() || undefined);
  const body = text.slice(comma + 1);
  if (parameters.at(-1)?.trim().toLowerCase() === "base64") return readBase64(body, type);
  // By its standard, a `data:` URL without a type is plain text.
  return readBase64(percentDecoded(body).toString("base64"), type ?? "text/plain");
}

/**
 * Decodes percent-encoding as the URL standard does: to bytes, which may not be text. A `%` without two digits stays
 * unchanged.
 */
function percentDecoded(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (!text.includes("%")) return bytes;
  const toByte = (_: string, digits: string) => String.fromCharCode(parseInt(digits, 16));
  return Buffer.from(bytes.toString("latin1").replace(/%([\da-f]{2})/gi, toByte), "latin1");
}

function readBase64(text: string, mimeType: string | undefined): ContentData {
  // The data is tested before it is changed: it may be many megabytes, is sent with every request of its session, and
  // rarely needs changes.
  const isTidy = isTidyBase64(text);
  const base64 = isTidy ? text : tidied(text);
  if (base64 === "") return { kind: "invalid", reason: "is empty" };
  const isBase64 = isTidy || isTidyBase64(base64);
  if (!isBase64 || digitsIn(base64) % 4 === 1) {
    return { kind: "invalid", reason: "is neither base64 nor a data: or http(s) URL" };
  }
  return withMimeType({ kind: "base64", base64: padded(base64) }, mimeType ?? sniffMimeType(base64));
}

/** Removes white space from base64 data and replaces the URL-safe alphabet. */
function tidied(text: string): string {
  return text.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/");
}

function digitsIn(base64: string): number {
  const padding = base64.indexOf("=", base64.length - 2);
  return padding === -1 ? base64.length : padding;
}

/** Adds the padding, because some vendors reject base64 without padding. */
function padded(base64: string): string {
  if (base64.length % 4 === 0) return base64;
  const digits = base64.slice(0, digitsIn(base64));
  return digits.padEnd(Math.ceil(digits.length / 4) * 4, "=");
}

function withMimeType<Data extends ContentData>(data: Data, mimeType: string | undefined): Data {
  return mimeType === undefined ? data : { ...data, mimeType };
}

/** Known first bytes of files in base64, up to the last whole base64 digit, and their mime types. */
const signatures: readonly (readonly [prefix: string, mimeType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["JVBERi0", "application/pdf"],
  ["SUQz", "audio/mpeg"],
  ["//uQ", "audio/mpeg"],
  ["//uS", "audio/mpeg"],
  ["T2dnUw", "audio/ogg"],
  ["ZkxhQ", "audio/flac"],
  ["UEsDB", "application/zip"],
];

/**
 * Mime types of RIFF files by kind. The files begin with "RIFF", four bytes of length, and the kind in bytes 8 to 11.
 * The first 16 base64 digits contain these bytes.
 */
const riffKinds: Readonly<Record<string, string>> = { WEBP: "image/webp", WAVE: "audio/wav" };

/** Detects the mime type from the first bytes of base64 data; `undefined` if unknown. */
function sniffMimeType(base64: string): string | undefined {
  const known = signatures.find(([prefix]) => base64.startsWith(prefix));
  if (known !== undefined) return known[1];
  if (!base64.startsWith("UklGR")) return undefined;
  const kind = Buffer.from(base64.slice(0, 16), "base64").toString("latin1", 8, 12);
  return Object.hasOwn(riffKinds, kind) ? riffKinds[kind] : undefined;
}
