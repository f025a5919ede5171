import { sniffMimeType } from "./sniff-mime-type.ts";

/** What the `data` of an image, audio or file part turned out to be. */
export type ContentData =
  | { kind: "base64"; base64: string; mimeType?: string }
  | { kind: "url"; url: string; mimeType?: string }
  | { kind: "invalid"; reason: string };

type DataPart = { data: string; mimeType?: string };

/**
 * Reads the `data` of a part: base64, a `data:` URL or an `http(s)` URL. The part's own mime type comes first, then the
 * one of the `data:` URL, then what the first bytes tell. Nothing is fetched.
 */
export function readContentData({ data, mimeType }: DataPart): ContentData {
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
  try {
    // Without a type, a data: URL is text by its own standard.
    return readBase64(Buffer.from(decodeURIComponent(body)).toString("base64"), type ?? "text/plain");
  } catch {
    return { kind: "invalid", reason: "is a data: URL with a broken percent-encoding" };
  }
}

const base64Form = /^[A-Za-z0-9+/]+={0,2}$/;

function readBase64(text: string, mimeType: string | undefined): ContentData {
  // Looked at first as it is: it may be many megabytes, comes with every request of its session, and seldom needs tidying.
  const isTidy = base64Form.test(text);
  const base64 = isTidy ? text : tidied(text);
  if (base64 === "") return { kind: "invalid", reason: "is empty" };
  const isBase64 = isTidy || base64Form.test(base64);
  if (!isBase64 || digitsIn(base64) % 4 === 1) {
    return { kind: "invalid", reason: "is neither base64 nor a data: or http(s) URL" };
  }
  return withMimeType({ kind: "base64", base64: padded(base64) }, mimeType ?? sniffMimeType(base64));
}

/** Without white space, and in the usual alphabet: there is one for URLs. */
function tidied(text: string): string {
  return text.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/");
}

function digitsIn(base64: string): number {
  const padding = base64.indexOf("=", base64.length - 2);
  return padding === -1 ? base64.length : padding;
}

/** Some vendors refuse base64 without its padding. */
function padded(base64: string): string {
  if (base64.length % 4 === 0) return base64;
  const digits = base64.slice(0, digitsIn(base64));
  return digits.padEnd(Math.ceil(digits.length / 4) * 4, "=");
}

function withMimeType<Data extends ContentData>(data: Data, mimeType: string | undefined): Data {
  return mimeType === undefined ? data : { ...data, mimeType };
}
