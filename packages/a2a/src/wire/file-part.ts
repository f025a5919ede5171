import { readContentData } from "@troupe/core/kit";
import { wrongParam } from "./a2a-error.ts";
import { present } from "./field-reader.ts";
import type { A2APart } from "./task.ts";

type FileFacts = { mediaType?: string | undefined; filename?: string | undefined; metadata?: object | undefined };

/**
 * Reads the bytes of a file: base64, URL-safe base64, or a `data:` URL of either. `field` is the path for the error.
 */
export function readBytes(data: string, field: string, facts: FileFacts): A2APart {
  const read = isWebAddress(data) ? undefined : readContentData({ data });
  if (read?.kind !== "base64") throw wrongParam(field, "base64 that is not empty");
  const named = /^data:/i.test(data) ? read.mimeType : undefined;
  return filePart({ kind: "bytes", base64: read.base64 }, { ...facts, mediaType: facts.mediaType ?? named });
}

/** Reads the address of a file: an http(s) address without credentials. A `data:` URL is read as its bytes. */
export function readAddress(url: string, field: string, facts: FileFacts): A2APart {
  if (/^data:/i.test(url)) return readBytes(url, field, facts);
  const read = isWebAddress(url) ? readContentData({ data: url }) : undefined;
  if (read?.kind !== "url") throw wrongParam(field, "an http(s) URL without credentials");
  return filePart({ kind: "url", url }, facts);
}

function isWebAddress(text: string): boolean {
  return /^https?:/i.test(text);
}

function filePart(part: A2APart, facts: FileFacts): A2APart {
  return { ...part, ...present(facts) } as A2APart;
}
