import type { Source } from "@troupe/core";
import { readObject } from "@troupe/core/kit";
import { readSource } from "@troupe/core/provider";

/** Returns the source of a citation: a page of the web, or a document of the conversation. */
export function citedSource(citation: unknown): Source[] {
  const { title, source, location } = readObject(citation);
  const { web, documentChar, documentPage, documentChunk } = readObject(location);
  const { documentIndex: index } = readObject(documentChar ?? documentPage ?? documentChunk);
  const id = typeof index === "number" ? `document-${index}` : undefined;
  return readSource({ id, url: readObject(web)["url"] ?? source, title });
}
