import { readObject, readObjects, readText } from "@troupe/core/kit";
import { readSource } from "@troupe/core/provider";
import type { Source } from "@troupe/core";
import type { WireBlock } from "./wire-types.ts";

/**
 * Returns true if a block is a call of one of the vendor's own tools, or its result. Such blocks arrive whole and are
 * sent back unchanged.
 */
export function isHosted({ type }: WireBlock): boolean {
  return typeof type === "string" && /_tool_use$|_tool_result$/.test(type);
}

/** Returns the sources in a block: pages that a vendor's tool found, and pages that a text cites. */
export function sourcesIn(block: WireBlock): Source[] {
  if (block.type === "text") return readObjects(block["citations"]).flatMap(citedSource);
  if (!isHosted(block)) return [];
  const { content, tool_use_id: toolCallId } = block;
  const pages = Array.isArray(content) ? readObjects(content) : [readObject(content)];
  return pages.flatMap(({ url, title, content: page }) =>
    readSource({ url, title: title ?? readObject(page)["title"], toolCallId }),
  );
}

/** Returns the source of a citation: a page, a search result of a tool, or a document of the conversation. */
export function citedSource(citation: Readonly<Record<string, unknown>>): Source[] {
  const { url, source, title, file_id: fileId, document_index: index, document_title: document } = citation;
  const id = readText(fileId) || (typeof index === "number" ? `document-${index}` : undefined);
  return readSource({ id, url: url ?? source, title: title ?? document });
}
