import { isRecord } from "../../../base/util/is-record.ts";

/** The fields of a document by which it is found. */
type SearchedFields = { content: string; metadata?: Record<string, unknown> | undefined };

/**
 * Returns the text by which a document is found: its content and, of a piece of a longer document, the headings above
 * the piece, which name the subject of many pieces that do not.
 */
export function searchedText({ content, metadata }: SearchedFields): string {
  const place = metadata?.["documentPlace"];
  const headings = isRecord(place) ? place["headings"] : undefined;
  return typeof headings === "string" ? `${headings}\n\n${content}` : content;
}
