import type { Source } from "@troupe/core";
import { readObject, readObjects } from "@troupe/core/kit";
import { readSource } from "@troupe/core/provider";
import type { WireCompletion, WireMessage } from "./wire-types.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Returns the sources that a message, or its delta in a stream, cites: pages and files. */
export function citedSources({ annotations, citations }: WireMessage): Source[] {
  return [...readObjects(annotations).flatMap(annotatedSource), ...listOf(citations).flatMap(listedSource)];
}

/**
 * Returns the sources that a server lists beside the answer, each page once. In a stream it may repeat the list with each
 * delta. Results of a search have titles, citations may be addresses alone.
 */
export function listedSources({ citations, search_results: results }: WireCompletion): Source[] {
  const byUrl = new Map<string | undefined, Source>();
  for (const source of [...listOf(results), ...listOf(citations)].flatMap(listedSource)) {
    if (!byUrl.has(source.url)) byUrl.set(source.url, source);
  }
  return [...byUrl.values()];
}

/** The fields of an annotation stand under the name of its kind; some servers leave that level out. */
function annotatedSource(annotation: Fields): Source[] {
  const { url_citation: page, file_citation: file } = annotation;
  const { url, title, file_id: id, filename } = readObject(page ?? file ?? annotation);
  return readSource({ id, url, title: title ?? filename });
}

function listedSource(listed: unknown): Source[] {
  if (typeof listed === "string") return readSource({ url: listed });
  const { url, title } = readObject(listed);
  return readSource({ url, title });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
